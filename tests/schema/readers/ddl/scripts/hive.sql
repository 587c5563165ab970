-- hive
CREATE DATABASE IF NOT EXISTS ${hiveconf:db};
USE ${hiveconf:db};
DROP TABLE IF EXISTS page_view;
CREATE EXTERNAL TABLE IF NOT EXISTS ${hiveconf:db}.page_view(
     viewTime INT COMMENT 'it\'s time', userid BIGINT,
     page_url STRING, referrer_url STRING COMMENT "ref; url",
     friends ARRAY<BIGINT>, properties MAP<STRING, STRUCT<a:INT,b:ARRAY<STRING>>>,
     u UNIONTYPE<int, double>)
 COMMENT 'This is the page view table'
 PARTITIONED BY(dt STRING COMMENT 'day', country STRING)
 CLUSTERED BY(userid) SORTED BY(viewTime) INTO 32 BUCKETS
 ROW FORMAT DELIMITED
   FIELDS TERMINATED BY '\001'
   LINES TERMINATED BY '\n'
 STORED AS SEQUENCEFILE
 LOCATION 'hdfs://x/${hiveconf:db}';

CREATE TABLE `users`(
  `userid` bigint,
  `date` string,
  primary key (userid) disable novalidate rely,
  constraint fk foreign key (userid) references page_view(userid) disable novalidate)
ROW FORMAT SERDE
  'org.apache.hadoop.hive.ql.io.orc.OrcSerde'
STORED AS INPUTFORMAT
  'x'
OUTPUTFORMAT
  'y'
TBLPROPERTIES (
  'bucketing_version'='2',
  'comment'='the users')
CREATE TABLE `noend`(
  `a` int)

CREATE TABLE ctas STORED AS PARQUET AS SELECT userid, `date` AS d FROM users;
CREATE TABLE kud (id BIGINT, name STRING NOT NULL, PRIMARY KEY (id)) PARTITION BY HASH(id) PARTITIONS 16 STORED AS KUDU TBLPROPERTIES ('kudu.x' = '1');
CREATE TABLE ice (id BIGINT, ts TIMESTAMP) PARTITIONED BY SPEC (DAY(ts)) STORED AS ICEBERG;
CREATE TABLE lk LIKE users;
CREATE TABLE lp LIKE PARQUET '/x/y.parq';
ALTER TABLE users ADD COLUMNS (city STRING COMMENT 'town', zip STRING);
ALTER TABLE users CHANGE city town STRING COMMENT 'the town' AFTER userid;
ALTER TABLE users ADD IF NOT EXISTS PARTITION (dt='1') LOCATION 'x';
ALTER TABLE users SET TBLPROPERTIES ('comment' = 'people');
ALTER TABLE users ADD CONSTRAINT fk2 FOREIGN KEY (userid) REFERENCES kud(id) DISABLE NOVALIDATE RELY;
ALTER TABLE users REPLACE COLUMNS (userid bigint, only STRING);
MSCK REPAIR TABLE users;
INSERT OVERWRITE TABLE users SELECT * FROM x;
FROM x INSERT OVERWRITE TABLE users SELECT *;
CREATE TEMPORARY FUNCTION f AS 'a.b.C';
CREATE TABLE last_t (a INT);
