/*==============================================================*/
/* DBMS name:      Microsoft SQL Server 2012                    */
/*==============================================================*/
if exists (select 1
   from sys.sysreferences r join sys.sysobjects o on (o.id = r.constid and o.type = 'F')
   where r.fkeyid = object_id('A') and o.name = 'FK_A')
alter table A
   drop constraint FK_A
go

if exists (select 1 from sysobjects where id = object_id('A') and type = 'U')
   drop table A
go

create table A (
   ID                   int                  identity,
   B_ID                 int                  null,
   constraint PK_A primary key (ID)
)
go

if exists (select 1 from  sys.extended_properties
           where major_id = object_id('A') and minor_id = 0)
begin 
   declare @CurrentUser sysname 
select @CurrentUser = user_name() 
execute sp_dropextendedproperty 'MS_Description',  
   'user', @CurrentUser, 'table', 'A' 
 
end 

select @CurrentUser = user_name() 
execute sp_addextendedproperty 'MS_Description',  
   'table of a', 
   'user', @CurrentUser, 'table', 'A'
go

declare @CurrentUser sysname
select @CurrentUser = user_name()
execute sp_addextendedproperty 'MS_Description', 
   'the b',
   'user', @CurrentUser, 'table', 'A', 'column', 'B_ID'
go

create table B (
   ID int not null constraint PK_B primary key nonclustered,
   X as (ID + 1)
)
go

alter table A
   add constraint FK_A foreign key (B_ID)
      references B (ID)
go
