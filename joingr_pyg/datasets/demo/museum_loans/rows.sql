INSERT INTO institution (institution_id, institution_name, institution_type, city, country_code, climate_class) VALUES
  (1, 'Nordhavn Museum of Art', 'art museum', 'Aarhus', 'DK', 'AA'),
  (2, 'Casa Meridiana', 'foundation', 'Lisbon', 'PT', 'A'),
  (3, 'Musée du Vieux Canal', 'art museum', 'Lyon', 'FR', 'A'),
  (4, 'Hartwell Gallery', 'public gallery', 'Leeds', 'GB', 'B'),
  (5, 'Keramikhaus Lindental', 'craft museum', 'Dresden', 'DE', 'C'),
  (6, 'Pavillon de la Brenne', 'exhibition hall', 'Tours', 'FR', 'B');

INSERT INTO artist (artist_id, artist_name, nationality, birth_year, death_year, movement) VALUES
  (1, 'Ilse Brandvold', 'Danish', 1862, 1919, 'Symbolism'),
  (2, 'Teodoro Quintela', 'Portuguese', 1841, 1878, 'Realism'),
  (3, 'Marguerite Aubrac', 'French', 1895, 1971, 'Surrealism'),
  (4, 'Edmund Lorrimer', 'British', 1803, 1866, 'Romanticism'),
  (5, 'Hanna Weidlich', 'German', 1921, 1998, 'Studio pottery'),
  (6, 'Svend Kjeldal', 'Danish', 1938, NULL, 'Abstraction');

INSERT INTO collection (collection_id, institution_id, collection_name, curator_name, donated_by) VALUES
  (1, 1, 'Nordic Painting', 'Karen Mølby', NULL),
  (2, 2, 'Quintela Estate', 'Duarte Salema', 'heirs of the painter'),
  (3, 3, 'Aubrac Cabinet', 'Solène Marchetti', 'Aubrac family'),
  (4, 4, 'Hartwell Bequest', 'Imogen Tarrant', 'Lady C. Hartwell'),
  (5, 5, 'Modern Ceramics', 'Jörg Pfannschmidt', NULL),
  (6, 3, 'Bronzes', 'Solène Marchetti', NULL);

INSERT INTO museum_object (object_id, collection_id, artist_id, accession_number, title, object_type, medium, year_made, height_cm, width_cm, is_fragile) VALUES
  (1, 1, 1, 'NM.1904.12', 'The Salt Gatherers', 'painting', 'oil on canvas', 1891, 142.0, 210.5, 0),
  (2, 1, 6, 'NM.1969.03', 'Grey Interval', 'painting', 'acrylic on canvas', 1968, 180.0, 180.0, 0),
  (3, 2, 2, 'CM-0047', 'Fishwives at Dawn', 'painting', 'oil on panel', 1872, 64.0, 88.0, 1),
  (4, 3, 3, 'VC 1975-6', 'Clock with Feathers', 'collage', 'paper and feathers', 1934, 40.0, 32.0, 1),
  (5, 6, 3, 'VC 1980-2', 'Sleeping Wing', 'sculpture', 'bronze', 1951, 77.0, 120.0, 0),
  (6, 4, 4, 'HG/1/221', 'Storm over the Estuary', 'painting', 'oil on canvas', 1838, 120.0, 231.0, 0),
  (7, 5, 5, 'KL 88.14', 'Tall Vessel', 'ceramic', 'glazed stoneware', 1963, 58.0, 22.0, 1),
  (8, 6, NULL, 'VC 1922-9', 'Kneeling Figure', 'sculpture', 'bronze', NULL, 45.0, 20.0, 0);

INSERT INTO exhibition (exhibition_id, venue_id, exhibition_title, opens_on, closes_on, visitor_count) VALUES
  (1, 2, 'Lost Horizons', '2023-03-10', '2023-07-02', 84500),
  (2, 1, 'Salt and Light', '2023-10-05', '2024-01-28', 61200),
  (3, 6, 'Dreams in Paper and Metal', '2024-04-19', '2024-08-25', 47800),
  (4, 4, 'Weather Eye', '2024-09-14', '2025-01-05', 38900),
  (5, 5, 'Fire and Ash', '2025-05-02', '2025-09-14', NULL);

INSERT INTO loan (loan_id, exhibition_id, lender_id, requested_on, approved_on, due_back_on, loan_status) VALUES
  (1, 1, 1, '2022-06-01', '2022-07-20', '2023-07-31', 'returned'),
  (2, 1, 4, '2022-05-15', '2022-10-03', '2023-07-31', 'returned'),
  (3, 2, 2, '2023-02-20', '2023-04-11', '2024-02-28', 'returned'),
  (4, 3, 3, '2023-11-06', '2023-12-18', '2024-09-20', 'returned'),
  (5, 4, 1, '2024-01-30', '2024-05-22', '2025-02-01', 'returned'),
  (6, 4, 3, '2024-02-14', '2024-03-29', '2025-02-01', 'overdue'),
  (7, 5, 3, '2024-12-02', NULL, '2025-10-15', 'requested');

INSERT INTO courier (courier_id, institution_id, courier_name, languages, passport_expires_on) VALUES
  (1, 1, 'Birgitte Fogh', 'Danish, English', '2025-08-30'),
  (2, 4, 'Callum Netherby', 'English, French', '2029-01-12'),
  (3, 3, 'Yvette Lacombe', 'French, German', '2027-05-04'),
  (4, 2, 'Inês Sobral', 'Portuguese, English', '2025-02-11');

INSERT INTO insurance_policy (policy_id, insurer_name, policy_number, coverage_type, premium_eur, valid_until) VALUES
  (1, 'Borealis Art Assurance', 'BA-77120', 'nail to nail', 18400, '2024-12-31'),
  (2, 'Estuary Mutual', 'EM-3391', 'nail to nail', 22750, '2025-12-31'),
  (3, 'Ministry of Culture', 'IND-2023-08', 'state indemnity', 0, '2024-03-31'),
  (4, 'Confluent Fine Art Cover', 'CF-5508', 'transit only', 3900, '2026-06-30');

INSERT INTO loan_item (loan_id, object_id, courier_id, policy_id, insured_value_eur, crate_number, max_lux) VALUES
  (1, 1, 1, 1, 1250000, 'C-101', 150),
  (2, 6, 2, 2, 2100000, 'C-102', 150),
  (3, 3, 4, 3, 640000, 'C-117', 80),
  (4, 4, 3, 4, 180000, 'C-130', 50),
  (4, 5, 3, 4, 420000, 'C-131', NULL),
  (5, 1, 1, 2, 1300000, 'C-140', 150),
  (6, 3, NULL, 4, 650000, 'C-142', 80),
  (7, 8, NULL, NULL, 95000, NULL, NULL);

INSERT INTO condition_report (report_id, object_id, loan_id, stage, checked_on, checked_by, condition_grade, remarks) VALUES
  (1, 1, 1, 'outgoing', '2023-02-20', 'Mads Hvilsted', 2, 'stable'),
  (2, 1, 1, 'return', '2023-07-28', 'Mads Hvilsted', 3, 'paint flaking along lower edge'),
  (3, 4, 4, 'outgoing', '2024-04-02', 'Aline Vasseur', 2, 'old repairs, sound'),
  (4, 4, 4, 'arrival', '2024-04-08', 'Noé Berthaud', 4, 'two feathers detached'),
  (5, 5, 4, 'arrival', '2024-04-08', 'Noé Berthaud', 2, 'as on departure'),
  (6, 8, NULL, 'routine', '2023-11-15', 'Aline Vasseur', 4, 'active corrosion on base'),
  (7, 6, 2, 'arrival', '2023-03-01', 'Rui Castanheira', 4, 'frame cracked at upper corner'),
  (8, 7, NULL, 'routine', '2024-06-10', 'Silke Ahrendt', 1, 'no change');

INSERT INTO conservation_treatment (treatment_id, report_id, conservator_name, treatment_type, started_on, finished_on, labour_hours, cost_eur) VALUES
  (1, 2, 'Tove Ranløv', 'consolidation of paint layer', '2023-08-21', '2023-10-02', 38.0, 2660),
  (2, 4, 'Aline Vasseur', 'reattachment', '2024-04-10', '2024-04-15', 12.5, 940),
  (3, 6, 'Odile Garnault', 'corrosion removal', '2024-01-08', '2024-03-01', 54.0, 4300),
  (4, 7, 'Priya Ramsdale', 'frame repair', '2023-08-14', '2023-09-04', 21.0, 1480),
  (5, 6, 'Odile Garnault', 'wax coating', '2025-03-03', NULL, 6.0, 350);
