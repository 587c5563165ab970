CREATE DATABASE IF NOT EXISTS shop ENGINE = Atomic;
CREATE TABLE shop.events ON CLUSTER '{cluster}'
(
    `id` UInt64 COMMENT 'event''s id',
    `ts` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when' CODEC(Delta, ZSTD(1)),
    `user_id` Nullable(UInt32),
    `tags` Array(LowCardinality(String)),
    `props` Map(String, Nested(a Int8, b String)),
    `kind` Enum8('a,b' = 1, 'c)' = 2),
    `n` Nested(x UInt8, y String),
    `d` Date MATERIALIZED toDate(ts),
    `al` String ALIAS concat(kind, ';'),
    e DEFAULT 1,
    tup Tuple(a String, b UInt8) TTL ts + INTERVAL 1 DAY,
    INDEX idx kind TYPE bloom_filter(0.01) GRANULARITY 1,
    PROJECTION p (SELECT id ORDER BY ts),
    CONSTRAINT c CHECK id > 0
)
ENGINE = ReplicatedMergeTree('/clickhouse/{shard}/events', '{replica}')
PARTITION BY toYYYYMM(ts)
PRIMARY KEY (id, ts)
ORDER BY (id, ts, user_id)
TTL toDateTime(ts) + INTERVAL 90 DAY
SETTINGS index_granularity = 8192
COMMENT 'all events';

CREATE TABLE shop.dist AS shop.events ENGINE = Distributed('{cluster}', 'shop', 'events', rand());
CREATE TABLE IF NOT EXISTS shop.users (`id` UInt32, `key` String, PRIMARY KEY id) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW shop.mv TO shop.users AS SELECT id FROM shop.events;
CREATE VIEW shop.v (`id` UInt64) AS SELECT id FROM shop.events;
CREATE DICTIONARY shop.d (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'users')) LAYOUT(FLAT()) LIFETIME(300);
ATTACH TABLE shop.att UUID 'aaa' (a Int8) ENGINE = Log;
ALTER TABLE shop.users ADD COLUMN name String DEFAULT '' COMMENT 'n' AFTER id, MODIFY COLUMN key FixedString(3), COMMENT COLUMN id 'the id', DROP COLUMN IF EXISTS key;
ALTER TABLE shop.users ON CLUSTER c MODIFY COMMENT 'people';
ALTER TABLE shop.users ADD INDEX i name TYPE minmax GRANULARITY 1;
ALTER TABLE shop.users MODIFY TTL ts + INTERVAL 1 DAY;
ALTER TABLE shop.users RENAME COLUMN name TO full_name;
ALTER TABLE shop.users DELETE WHERE id = 1;
INSERT INTO shop.users FORMAT Values (1,'it\'s');
