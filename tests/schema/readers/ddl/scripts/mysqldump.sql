/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;

--
-- Current Database: `shop`
--

CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 */;

USE `shop`;

DROP TABLE IF EXISTS `customer`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `customer` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT COMMENT 'the customer''s number; really',
  `key` varchar(20) DEFAULT NULL,
  `index` int(11) DEFAULT '0',
  `name` varchar(45) CHARACTER SET utf8 COLLATE utf8_bin NOT NULL DEFAULT 'it\'s, (x' COMMENT 'full \"name\"',
  `data` json DEFAULT NULL CHECK (json_valid(`data`)),
  `gen` varchar(10) GENERATED ALWAYS AS (concat(`name`,';')) VIRTUAL,
  `geo` point NOT NULL /*!80003 SRID 4326 */,
  `upd` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq` (`name`(10)),
  KEY `k1` (`key`,`index` DESC) USING BTREE COMMENT 'an index',
  FULLTEXT KEY `ft` (`name`) /*!50100 WITH PARSER `ngram` */ ,
  SPATIAL KEY `sp` (`geo`),
  CONSTRAINT `chk` CHECK (`index` >= 0)
) ENGINE=InnoDB AUTO_INCREMENT=600 DEFAULT CHARSET=utf8mb4 COMMENT='people who buy; or not'
/*!50100 PARTITION BY RANGE (`id`)
(PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,
 PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `customer` WRITE;
/*!40000 ALTER TABLE `customer` DISABLE KEYS */;
INSERT INTO `customer` VALUES (1,'a\\','b'),(2,'it\'s; CREATE TABLE `zz` (a int);','\n');
/*!40000 ALTER TABLE `customer` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `t` BEFORE INSERT ON `customer` FOR EACH ROW BEGIN
CREATE TEMPORARY TABLE tmp (a int);
SET NEW.name = 'x';
END */;;
DELIMITER ;
--
-- Temporary table structure for view `v_customer`
--
DROP TABLE IF EXISTS `v_customer`;
/*!50001 DROP VIEW IF EXISTS `v_customer`*/;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8;
/*!50001 CREATE TABLE `v_customer` (
  `id` tinyint NOT NULL,
  `name` tinyint NOT NULL
) ENGINE=MyISAM */;
SET character_set_client = @saved_cs_client;
CREATE TABLE `orders` (
  `id` int NOT NULL,
  `customer_id` int unsigned NOT NULL,
  PRIMARY KEY (`id`),
  KEY `fk` (`customer_id`),
  CONSTRAINT `fk` FOREIGN KEY (`customer_id`) REFERENCES `customer` (`id`) ON DELETE CASCADE ON UPDATE CASCADE
);
DELIMITER ;;
CREATE DEFINER=`root`@`localhost` PROCEDURE `p`(in x int)
BEGIN
  DROP TABLE IF EXISTS orders;
  CREATE TABLE inproc (a int);
END ;;
DELIMITER ;
/*!50001 DROP TABLE IF EXISTS `v_customer`*/;
/*!50001 DROP VIEW IF EXISTS `v_customer`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`user`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `v_customer` AS select `customer`.`id` AS `id`,`customer`.`name` AS `name` from `customer` */;
USE `archive`;
CREATE TABLE `orders` (`id` int NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `fk2` FOREIGN KEY (`id`) REFERENCES `shop`.`orders` (`id`));
-- Dump completed on 2024-01-01
