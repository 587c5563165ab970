USE [master]
GO
/****** Object:  Database [Shop]    Script Date: 1/1/2024 ******/
CREATE DATABASE [Shop]
 CONTAINMENT = NONE
 ON  PRIMARY 
( NAME = N'Shop', FILENAME = N'C:\data\Shop.mdf' , SIZE = 8192KB )
GO
IF (1 = FULLTEXTSERVICEPROPERTY('IsFullTextInstalled'))
begin
EXEC [Shop].[dbo].[sp_fulltext_database] @action = 'enable'
end
GO
ALTER DATABASE [Shop] SET ANSI_NULL_DEFAULT OFF 
GO
USE [Shop]
GO
CREATE SCHEMA [sales]
GO
CREATE TYPE [dbo].[Flag] FROM [bit] NOT NULL
GO
CREATE TYPE [dbo].[IdList] AS TABLE([id] [int] NOT NULL)
GO
SET ANSI_NULLS ON
GO
SET QUOTED_IDENTIFIER ON
GO
IF NOT EXISTS (SELECT * FROM sys.objects WHERE object_id = OBJECT_ID(N'[dbo].[Customer]') AND type in (N'U'))
BEGIN
CREATE TABLE [dbo].[Customer](
	[CustomerId] [int] IDENTITY(1,1) NOT FOR REPLICATION NOT NULL,
	[Name] [nvarchar](max) COLLATE SQL_Latin1_General_CP1_CI_AS NULL,
	[Key] [uniqueidentifier] ROWGUIDCOL  NOT NULL,
	[Total]  AS ([CustomerId]*(2)) PERSISTED,
	[SysStart] [datetime2](7) GENERATED ALWAYS AS ROW START NOT NULL,
	[SysEnd] [datetime2](7) GENERATED ALWAYS AS ROW END NOT NULL,
 CONSTRAINT [PK_Customer] PRIMARY KEY CLUSTERED 
(
	[CustomerId] ASC
)WITH (PAD_INDEX = OFF, STATISTICS_NORECOMPUTE = OFF) ON [PRIMARY],
	PERIOD FOR SYSTEM_TIME ([SysStart], [SysEnd])
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
WITH
(
SYSTEM_VERSIONING = ON ( HISTORY_TABLE = [dbo].[CustomerHistory] )
)
END
GO
SET ANSI_NULLS ON
GO
CREATE TABLE [sales].[Order Details](
	[OrderId] [int] NOT NULL,
	[Line] [smallint] NOT NULL,
	[CustomerId] [int] NULL,
 CONSTRAINT [PK_OD] PRIMARY KEY NONCLUSTERED ([OrderId] ASC, [Line] ASC) WITH (FILLFACTOR = 80) ON [PRIMARY],
 INDEX [ix] NONCLUSTERED ([CustomerId])
) ON [PRIMARY]
GO
SET IDENTITY_INSERT [dbo].[Customer] ON 
INSERT [dbo].[Customer] ([CustomerId], [Name]) VALUES (1, N'O''Brien
GO
')
INSERT [dbo].[Customer] ([CustomerId], [Name]) VALUES (2, N'x')
GO
SET IDENTITY_INSERT [dbo].[Customer] OFF
ALTER TABLE [dbo].[Customer] ADD  CONSTRAINT [DF_Key]  DEFAULT (newid()) FOR [Key]
GO
ALTER TABLE [sales].[Order Details]  WITH NOCHECK ADD  CONSTRAINT [FK_OD] FOREIGN KEY([CustomerId])
REFERENCES [dbo].[Customer] ([CustomerId])
ON UPDATE CASCADE
GO
ALTER TABLE [sales].[Order Details] CHECK CONSTRAINT [FK_OD]
GO
ALTER TABLE [dbo].[Customer]  WITH CHECK ADD  CONSTRAINT [CK] CHECK  (([CustomerId]>(0)))
GO
ALTER TABLE [dbo].[Customer] ADD [Extra] int NULL, [More] nvarchar(10) NOT NULL CONSTRAINT df DEFAULT ('a,b')
GO
ALTER TABLE [dbo].[Customer] SET (LOCK_ESCALATION = TABLE)
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'who''s buying' , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Customer', @level2type=N'COLUMN',@level2name=N'Name'
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'customers' , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Customer'
GO
EXEC sys.sp_addextendedproperty @name=N'MS_DiagramPaneCount', @value=1 , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'VIEW',@level1name=N'V'
GO
SET ANSI_NULLS ON
GO
CREATE VIEW [dbo].[V] AS SELECT c.[Name], o.* FROM dbo.Customer c JOIN sales.[Order Details] o ON o.CustomerId = c.CustomerId
GO
CREATE PROCEDURE [dbo].[P] @x int AS
BEGIN
 CREATE TABLE #t (a int)
 CREATE TABLE dbo.InProc (a int)
 SELECT * INTO dbo.Copy FROM dbo.Customer
END
GO
