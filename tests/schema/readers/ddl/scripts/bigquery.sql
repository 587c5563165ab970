CREATE SCHEMA IF NOT EXISTS `my-proj.sales` OPTIONS(location="EU");
CREATE OR REPLACE TABLE `my-proj.sales.orders`
(
  id INT64 NOT NULL OPTIONS(description="it's the id, really"),
  items ARRAY<STRUCT<sku STRING OPTIONS(description="inner"), qty INT64, price NUMERIC(10,2)>> OPTIONS(description='''multi
line'''),
  ts TIMESTAMP DEFAULT CURRENT_TIMESTAMP(),
  rng RANGE<DATE>,
  customer_id INT64 REFERENCES sales.customers(id) NOT ENFORCED,
  `group` STRING,
  PRIMARY KEY (id) NOT ENFORCED,
  FOREIGN KEY (customer_id) REFERENCES `my-proj.sales.customers`(id) NOT ENFORCED
)
PARTITION BY DATE(ts)
CLUSTER BY customer_id
OPTIONS(
  partition_expiration_days=3,
  description="orders; all",
  labels=[("a","b")]
);
CREATE TABLE my-proj.sales.customers (id INT64, name STRING(20) COLLATE 'und:ci');
CREATE TABLE archive.orders (id INT64) OPTIONS (description = "old");
CREATE EXTERNAL TABLE sales.ext (x STRING) WITH PARTITION COLUMNS (dt DATE) OPTIONS (format = 'CSV', uris = ['gs://b/x']);
CREATE VIEW sales.v (a OPTIONS(description="x")) OPTIONS(description="view") AS SELECT id AS a FROM sales.orders;
CREATE MATERIALIZED VIEW sales.mv AS SELECT id, count(*) AS n FROM sales.orders GROUP BY id;
CREATE TABLE sales.copy CLONE sales.orders;
CREATE TABLE sales.like1 LIKE sales.orders;
CREATE TEMP FUNCTION f(x INT64) AS (x + 1);
CREATE PROCEDURE sales.p() BEGIN CREATE TEMP TABLE t (x INT64); END;
ALTER TABLE sales.customers ADD COLUMN IF NOT EXISTS city STRING OPTIONS(description="town"), ADD COLUMN zip STRING;
ALTER TABLE sales.customers SET OPTIONS (description="who");
ALTER TABLE sales.customers ALTER COLUMN name SET OPTIONS (description="full");
ALTER TABLE sales.customers ADD PRIMARY KEY (id) NOT ENFORCED;
ALTER TABLE archive.orders ADD CONSTRAINT fk FOREIGN KEY (id) REFERENCES sales.orders(id) NOT ENFORCED;
