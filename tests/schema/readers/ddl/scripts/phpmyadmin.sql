-- phpMyAdmin SQL Dump
SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";
CREATE TABLE `wp_posts` (
  `ID` bigint(20) UNSIGNED NOT NULL,
  `post_author` bigint(20) UNSIGNED NOT NULL DEFAULT '0',
  `comment` text COLLATE utf8mb4_unicode_520_ci NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `wp_users` (
  `ID` bigint(20) UNSIGNED NOT NULL
) ENGINE=InnoDB;
INSERT INTO `wp_posts` (`ID`, `post_author`) VALUES
(1, 1),
(2, 'a;
CREATE TABLE x (a int);
b');
ALTER TABLE `wp_posts`
  ADD PRIMARY KEY (`ID`),
  ADD KEY `post_author` (`post_author`),
  ADD FULLTEXT KEY `c` (`comment`);
ALTER TABLE `wp_users`
  ADD PRIMARY KEY (`ID`);
ALTER TABLE `wp_posts`
  MODIFY `ID` bigint(20) UNSIGNED NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=5;
ALTER TABLE `wp_posts`
  ADD CONSTRAINT `fk` FOREIGN KEY (`post_author`) REFERENCES `wp_users` (`ID`) ON DELETE CASCADE;
COMMIT;
