INSERT INTO branch (branch_id, branch_name, district, street_address, opened_year, is_step_free) VALUES
(1, 'Central Library', 'Old Town', '1 Market Square', 1911, 1),
(2, 'Millbrook', 'Mill Quarter', '14 Weir Lane', 1964, 1),
(3, 'Eastgate', 'Eastgate', '203 Tollhouse Road', 1978, 0),
(4, 'Old Harbour', 'Docklands', '7 Ropewalk', 1932, 0),
(5, 'Hillcrest', 'Northfield', '88 Orchard Rise', 2009, 1);

INSERT INTO author (author_id, full_name, birth_year, home_country) VALUES
(1, 'Tamsin Averell', 1961, 'Ireland'),
(2, 'Joren Halvik', 1974, 'Norway'),
(3, 'Oda Fenwick', 1980, 'United Kingdom'),
(4, 'Pilar Cendoya', 1969, 'Spain'),
(5, 'Bastien Lorcy', 1983, 'France'),
(6, 'Wanda Krellin', 1947, 'Poland');

INSERT INTO catalog_title (title_id, title, publisher, publication_year, language_code, format_code, subject, target_age) VALUES
(1, 'The Salt Cartographer', 'Lanternfish House', 2019, 'en', 'AB', 'historical fiction', 'adult'),
(2, 'Winter Ledger', 'Greywater Editions', 2021, 'en', 'LP', 'crime fiction', 'adult'),
(3, 'Le Phare muet', 'Editions du Quai Neuf', 2022, 'fr', 'BK', 'contemporary fiction', 'adult'),
(4, 'The Fox Who Counted Stars', 'Lanternfish House', 2020, 'en', 'BK', 'picture book', 'child'),
(5, 'Bridges of the Lower Valley', 'Weir Lane Press', 2004, 'en', 'BK', 'local history', 'adult'),
(6, 'Nordlys', 'Polarlys Film', 2018, 'no', 'DV', 'nature documentary', 'all ages'),
(7, 'Cold Quay Road', 'Greywater Editions', 2017, 'en', 'BK', 'crime fiction', 'adult');

INSERT INTO title_author (title_id, author_id, contribution) VALUES
(1, 1, 'writer'),
(1, 3, 'narrator'),
(2, 2, 'writer'),
(3, 5, 'writer'),
(4, 5, 'writer'),
(4, 4, 'illustrator'),
(5, 6, 'writer'),
(7, 2, 'writer');

INSERT INTO item_copy (barcode, title_id, home_branch_id, acquired_on, purchase_price, condition_grade, shelf_status) VALUES
('B1001', 1, 1, '2023-03-02', 24.90, 'B', 'on loan'),
('B1002', 2, 2, '2022-10-11', 21.50, 'A', 'available'),
('B1003', 3, 1, '2023-05-20', 18.00, 'B', 'on loan'),
('B1004', 4, 4, '2021-02-14', 14.50, 'C', 'on loan'),
('B1005', 4, 2, '2023-09-01', 14.50, 'A', 'available'),
('B1006', 5, 5, '2015-06-30', 32.00, 'B', 'missing'),
('B1007', 7, 3, '2020-01-15', 16.00, 'D', 'missing'),
('B1008', 2, 1, '2022-10-11', 21.50, 'B', 'reserved');

INSERT INTO patron (patron_id, card_number, full_name, birth_date, email, patron_category, home_branch_id, joined_on, card_expires_on) VALUES
(1, 'C-40017', 'Mara Quill', '1988-07-19', 'mara.quill@example.org', 'adult', 1, '2015-02-03', '2031-02-03'),
(2, 'C-40102', 'Edwin Sorrel', '1951-11-30', 'edwin.sorrel@example.org', 'homebound', 2, '2009-09-14', '2030-09-14'),
(3, 'C-40233', 'Lucie Brandt', '1955-04-08', 'lucie.brandt@example.org', 'senior', 4, '2018-05-21', '2032-05-21'),
(4, 'C-40310', 'Tobias Anker', '2015-01-27', 'anker.family@example.org', 'child', 2, '2022-08-30', '2030-08-30'),
(5, 'C-40355', 'Greta Nolan', '1949-12-12', 'greta.nolan@example.org', 'senior', 4, '2011-03-17', '2031-03-17'),
(6, 'C-40421', 'Samir Okonjo', '1996-06-05', 'samir.okonjo@example.org', 'adult', 3, '2021-08-31', '2023-08-31');

INSERT INTO loan (loan_id, barcode, patron_id, issuing_branch_id, checked_out_on, due_on, returned_on, renewal_count) VALUES
(1, 'B1001', 1, 1, '2024-04-02', '2024-04-23', NULL, 0),
(2, 'B1002', 2, 2, '2024-01-10', '2024-02-07', '2024-02-05', 1),
(3, 'B1003', 3, 1, '2024-04-15', '2024-05-13', NULL, 3),
(4, 'B1004', 4, 4, '2024-03-20', '2024-04-10', NULL, 0),
(5, 'B1007', 5, 3, '2023-11-02', '2023-11-30', NULL, 0),
(6, 'B1005', 1, 2, '2024-02-01', '2024-02-22', '2024-02-29', 0),
(7, 'B1004', 5, 4, '2023-09-05', '2023-09-26', '2023-09-20', 0),
(8, 'B1001', 2, 2, '2023-12-01', '2023-12-22', '2024-01-05', 1);

INSERT INTO hold (hold_id, title_id, patron_id, pickup_branch_id, placed_at, hold_status) VALUES
(1, 4, 6, 3, '2024-04-12 16:20:00', 'waiting'),
(2, 1, 3, 4, '2024-04-05 09:41:00', 'waiting'),
(3, 1, 5, 4, '2024-04-06 11:02:00', 'waiting'),
(4, 2, 5, 4, '2024-04-01 18:30:00', 'ready'),
(5, 6, 1, 1, '2024-04-19 20:15:00', 'waiting');

INSERT INTO fine (fine_id, loan_id, reason, amount, assessed_on, settled_on) VALUES
(1, 5, 'lost', 20.00, '2024-01-15', NULL),
(2, 6, 'late', 1.40, '2024-02-29', '2024-03-02'),
(3, 8, 'late', 2.80, '2024-01-05', NULL),
(4, 7, 'damage', 15.00, '2023-09-20', '2023-10-01'),
(5, 1, 'late', 5.00, '2024-05-14', NULL);

INSERT INTO event (event_id, branch_id, event_name, guest_author_id, starts_at, audience, seat_limit) VALUES
(1, 2, 'Toddler Rhyme Time', NULL, '2024-05-07 10:00:00', 'children', 20),
(2, 4, 'An Evening with Bastien Lorcy', 5, '2024-04-18 19:30:00', 'adults', 60),
(3, 4, 'Nordic Noir Night', 2, '2024-02-22 20:00:00', 'adults', 60),
(4, 5, 'Walking the Old Bridges', 6, '2023-10-12 18:00:00', 'everyone', 35),
(5, 2, 'Draw Your Own Fox', 4, '2024-05-25 14:00:00', 'children', 16),
(6, 1, 'Repair Saturday', NULL, '2024-06-01 11:00:00', 'everyone', NULL);

INSERT INTO branch_transfer (transfer_id, barcode, from_branch_id, to_branch_id, dispatched_on, received_on, transfer_reason) VALUES
(1, 'B1008', 1, 4, '2024-04-02', '2024-04-03', 'request'),
(2, 'B1004', 4, 2, '2023-10-01', '2023-10-03', 'rotation'),
(3, 'B1004', 2, 4, '2024-01-08', '2024-01-10', 'return'),
(4, 'B1005', 2, 3, '2024-03-05', '2024-03-07', 'request'),
(5, 'B1005', 3, 2, '2024-03-25', '2024-03-26', 'return'),
(6, 'B1001', 1, 2, '2023-11-28', '2023-11-30', 'request'),
(7, 'B1001', 2, 1, '2024-01-08', '2024-01-09', 'return'),
(8, 'B1006', 5, 1, '2023-11-06', NULL, 'rotation');
