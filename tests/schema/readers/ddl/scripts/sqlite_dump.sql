PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "Artist"
(
    [ArtistId] INTEGER  NOT NULL,
    [Name] NVARCHAR(120) DEFAULT 'C:\',
    CONSTRAINT [PK_Artist] PRIMARY KEY  ([ArtistId])
);
INSERT INTO Artist VALUES(1,'AC/DC');
INSERT INTO Artist VALUES(2,replace('a\nb','\n',char(10)));
CREATE TABLE album (id integer primary key autoincrement, "a b" text unique on conflict ignore, artist_id int references Artist deferrable initially deferred, ts timestamp default (strftime('%s','now')), constraint u unique (id, artist_id) on conflict fail, foreign key (artist_id) references "Artist" (ArtistId) match full on update cascade) strict, without rowid;
CREATE TABLE 'single' ('id' int, "x"int,y/*c*/int);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('album',1);
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','fts','fts',0,'CREATE VIRTUAL TABLE fts USING fts5(body)');
CREATE TABLE IF NOT EXISTS 'fts_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TRIGGER t1 AFTER INSERT ON album WHEN new.id > 1
BEGIN
  INSERT INTO x VALUES ('END;');
  SELECT CASE WHEN 1 THEN RAISE(ABORT, 'no; END') END;
END;
CREATE VIEW v AS SELECT * FROM album;
CREATE INDEX i ON album(artist_id);
COMMIT;
