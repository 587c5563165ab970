USE CATALOG main;
CREATE SCHEMA IF NOT EXISTS main.sales;
CREATE OR REPLACE TABLE main.sales.orders (
  id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1 INCREMENT BY 1) COMMENT 'it\'s the id',
  customer_id BIGINT NOT NULL COMMENT "who; bought",
  items ARRAY<STRUCT<sku: STRING COMMENT 'inner', qty: INT>>,
  attrs MAP<STRING, DECIMAL(10,2)> COMMENT 'attributes',
  dt DATE,
  CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED RELY,
  CONSTRAINT fk FOREIGN KEY (customer_id) REFERENCES main.sales.customers(id) NOT ENFORCED
)
USING DELTA
PARTITIONED BY (dt)
LOCATION 's3://x/y'
COMMENT 'all orders'
TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'comment' = 'no');
CREATE TABLE main.sales.customers (id BIGINT NOT NULL PRIMARY KEY, name STRING COLLATE UTF8_BINARY MASK f, `we ird` STRING) CLUSTER BY (id);
CREATE TABLE parq (a INT, b STRING) USING PARQUET OPTIONS (path '/x') PARTITIONED BY (b);
CREATE OR REFRESH STREAMING TABLE st (a INT COMMENT 'x', CONSTRAINT ok EXPECT (a > 0) ON VIOLATION DROP ROW) AS SELECT * FROM STREAM(x);
CREATE OR REFRESH LIVE TABLE lt COMMENT 'live' AS SELECT id, name AS n FROM main.sales.customers;
CREATE TABLE delta.`/mnt/x` (a INT) USING delta;
CREATE TABLE shallow SHALLOW CLONE main.sales.customers;
ALTER TABLE main.sales.customers ADD COLUMNS (city STRING COMMENT 'town' AFTER name, zip STRING FIRST);
ALTER TABLE main.sales.customers ALTER COLUMN name COMMENT 'full name';
ALTER TABLE main.sales.customers CHANGE COLUMN city town STRING COMMENT 'the town';
ALTER TABLE main.sales.customers SET TBLPROPERTIES ('comment' = 'people');
ALTER TABLE main.sales.customers CLUSTER BY (id);
ALTER TABLE main.sales.orders SET OWNER TO `x@y`;
ALTER TABLE main.sales.orders ADD CONSTRAINT c CHECK (id > 0);
COMMENT ON TABLE main.sales.customers IS 'those who buy';
CREATE VOLUME v;
CREATE FUNCTION f(x INT) RETURNS INT RETURN x + 1;
OPTIMIZE main.sales.orders ZORDER BY (id);
