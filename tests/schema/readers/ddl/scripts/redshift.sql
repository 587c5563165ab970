CREATE TABLE IF NOT EXISTS public.users
(
	userid INTEGER NOT NULL DEFAULT "identity"(1, 0, '1,1'::text) ENCODE az64
	,username CHAR(8)   ENCODE lzo
	,likes BOOLEAN   ENCODE RAW
	,meta SUPER
	,PRIMARY KEY (userid)
)
DISTSTYLE KEY
 DISTKEY (userid)
 SORTKEY (
	userid
	)
;
ALTER TABLE public.users owner to awsuser;
create table sales(
salesid integer not null distkey,
userid integer not null references users(userid) sortkey,
listtime timestamp encode delta32k)
backup no diststyle auto compound sortkey(userid, salesid);
CREATE EXTERNAL SCHEMA spectrum FROM DATA CATALOG DATABASE 'x' IAM_ROLE 'arn';
CREATE EXTERNAL TABLE spectrum.sales_part(
salesid integer,
pricepaid decimal(8,2))
partitioned by (saledate date)
row format delimited
fields terminated by '|'
stored as textfile
location 's3://b/'
table properties ('numRows'='172000');
CREATE TEMP TABLE t (a int);
CREATE TABLE copy1 (LIKE public.users INCLUDING DEFAULTS);
COMMENT ON COLUMN public.users.likes IS 'likes';
COPY sales FROM 's3://x' IAM_ROLE 'y' DELIMITER '|';
CREATE TABLE last (a int);
