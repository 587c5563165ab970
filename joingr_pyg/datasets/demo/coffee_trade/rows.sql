INSERT INTO cooperatives (cooperative_id, cooperative_name, region, country, member_count, founded_year) VALUES
  (1, 'Kebele Sunrise Union', 'Sidama', 'Ethiopia', 1840, 1998),
  (2, 'Cooperativa Tres Volcanes', 'Huehuetenango', 'Guatemala', 410, 2006),
  (3, 'Asociación Río Claro', 'Huila', 'Colombia', 265, 2011),
  (4, 'Mount Karimbi Growers', 'Nyeri', 'Kenya', 930, 1976);

INSERT INTO farms (farm_id, cooperative_id, farm_name, owner_name, altitude_m, area_ha) VALUES
  (1, 1, 'Dembi Ridge', 'Worku Teshale', 1950, 2.4),
  (2, 1, 'Bensa Hill', 'Almaz Gidey', 2100, 1.8),
  (3, 2, 'Finca Siete Ceibas', 'Rosendo Xicay', 1720, 6.5),
  (4, 2, 'Finca El Zapotillo', 'Marta Coj', 1580, 4.2),
  (5, 3, 'La Cuesta Alta', 'Hernán Quimbaya', 1810, 8.0),
  (6, NULL, 'Hacienda Santa Brígida', 'Lucrecia Arosemena', 1640, 120.0),
  (7, 4, 'Karimbi Slope', 'Joseph Wanjohi', 1780, 1.1);

INSERT INTO certifications (farm_id, scheme, certifier, certificate_number, issued_on, valid_until) VALUES
  (1, 'organic', 'Greenfield Inspection', 'GI-1108', '2022-03-01', '2025-02-28'),
  (1, 'fair trade', 'Fair Ledger Board', 'FL-0452', '2021-10-15', '2024-10-14'),
  (3, 'organic', 'Greenfield Inspection', 'GI-0977', '2023-01-20', '2026-01-19'),
  (3, 'bird friendly', 'Canopy Label', 'CL-31', '2023-06-05', '2026-06-04'),
  (4, 'fair trade', 'Fair Ledger Board', 'FL-0518', '2023-05-01', '2026-04-30'),
  (5, 'organic', 'Greenfield Inspection', 'GI-1020', '2021-08-01', '2024-07-31'),
  (6, 'bird friendly', 'Canopy Label', 'CL-12', '2020-02-11', '2023-02-10');

INSERT INTO lots (lot_id, farm_id, lot_code, variety, process, harvest_year, bags, bag_weight_kg, moisture_pct) VALUES
  (1, 1, 'ET-2301', 'Heirloom', 'washed', 2023, 60, 60, 11.2),
  (2, 2, 'ET-2304', 'Heirloom', 'natural', 2023, 45, 60, 10.6),
  (3, 3, 'GT-2311', 'Bourbon', 'washed', 2023, 120, 69, 11.0),
  (4, 4, 'GT-2315', 'Caturra', 'honey', 2023, 80, 69, 11.6),
  (5, 5, 'CO-2402', 'Caturra', 'washed', 2024, 150, 70, 11.3),
  (6, 6, 'PA-2407', 'Geisha', 'natural', 2024, 20, 30, 10.4),
  (7, 7, 'KE-2409', 'SL28', 'washed', 2024, 50, 60, 10.9),
  (8, 6, 'PA-2408', 'Geisha', 'washed', 2024, 15, 30, 10.8);

INSERT INTO roasters (roaster_id, roaster_name, city, country, annual_capacity_t) VALUES
  (1, 'Lantern Quay Roastery', 'Hamburg', 'Germany', 420),
  (2, 'Kestrel Lane Coffee', 'Bristol', 'United Kingdom', 150),
  (3, 'Torrefazione Belcampo', 'Trieste', 'Italy', 900),
  (4, 'Hoshizora Beans', 'Kobe', 'Japan', 60);

INSERT INTO cuppers (cupper_id, roaster_id, cupper_name, licence_level, home_country) VALUES
  (1, 1, 'Friederike Holm', 'licensed grader', 'Germany'),
  (2, NULL, 'Kenji Asahara', 'licensed grader', 'Japan'),
  (3, NULL, 'Lidia Moncayo', 'instructor', 'Colombia'),
  (4, 4, 'Haruka Minase', 'sensory level 3', 'Japan');

INSERT INTO cuppings (lot_id, cupper_id, cupped_on, acidity, mouthfeel, total_score, defect_count, tasting_notes) VALUES
  (1, 1, '2023-05-12', 8.25, 7.75, 87.25, 0, 'bergamot, peach'),
  (1, 2, '2023-05-15', 8.5, 7.75, 88.0, 0, 'jasmine, lemon'),
  (2, 2, '2023-05-15', 8.0, 8.0, 86.5, 2, 'blueberry, red wine'),
  (3, 3, '2023-06-20', 7.75, 7.75, 84.0, 0, 'cocoa, orange'),
  (4, 1, '2023-07-03', 7.25, 7.5, 82.5, 3, 'caramel, hazelnut'),
  (5, 3, '2024-02-28', 7.5, 7.75, 83.75, 1, 'panela, red apple'),
  (6, 4, '2024-04-10', 9.0, 8.25, 92.5, 0, 'rose, mango, bergamot'),
  (7, 2, '2024-05-06', 8.75, 8.0, 88.75, 0, 'blackcurrant, tomato leaf');

INSERT INTO blends (blend_id, roaster_id, blend_name, roast_level, price_eur_kg) VALUES
  (1, 1, 'Night Ferry', 'dark', 18.5),
  (2, 2, 'Hedgerow', 'medium', 24.0),
  (3, 3, 'Bora Espresso', 'dark', 16.9),
  (4, 1, 'Morning Tide', 'light', 27.5),
  (5, 3, 'Riva Dodici', 'dark', 22.0);

INSERT INTO contracts (contract_id, lot_id, roaster_id, blend_id, signed_on, bags_sold, price_usd_lb, incoterm, contract_status) VALUES
  (1, 1, 2, NULL, '2023-06-01', 30, 4.85, 'FOB', 'fulfilled'),
  (2, 1, 1, 4, '2023-06-09', 30, 4.6, 'FOB', 'fulfilled'),
  (3, 3, 1, 1, '2023-08-02', 70, 2.95, 'FOB', 'fulfilled'),
  (4, 4, 3, 3, '2023-08-15', 80, 2.4, 'CIF', 'fulfilled'),
  (5, 5, 3, 3, '2024-03-20', 100, 2.7, 'CIF', 'in transit'),
  (6, 6, 4, NULL, '2024-05-02', 12, 38.0, 'FCA', 'fulfilled'),
  (7, 5, 1, 1, '2024-04-04', 40, 2.8, 'FOB', 'open'),
  (8, 7, 2, 2, '2024-06-11', 25, 5.3, 'FOB', 'open');

INSERT INTO containers (container_id, container_number, vessel_name, port_of_loading, port_of_discharge, sailed_on, arrived_on) VALUES
  (1, 'QXTU 410772-1', 'Aurelia Star', 'Djibouti', 'Hamburg', '2023-07-02', '2023-08-04'),
  (2, 'QXTU 418830-4', 'Pelican Bay', 'Puerto Barrios', 'Hamburg', '2023-09-10', '2023-10-01'),
  (3, 'MZKU 220914-0', 'Pelican Bay', 'Puerto Barrios', 'Trieste', '2023-09-10', '2023-10-12'),
  (4, 'MZKU 233015-8', 'Nordlys Trader', 'Buenaventura', 'Trieste', '2024-05-05', NULL),
  (5, 'QXTU 500128-3', 'Kaede', 'Balboa', 'Kobe', '2024-06-01', '2024-06-29'),
  (6, 'QXTU 431006-9', 'Aurelia Star', 'Djibouti', 'Felixstowe', '2023-07-02', '2023-08-09');

INSERT INTO shipments (contract_id, container_id, bill_of_lading, bags_loaded, damaged_bags) VALUES
  (1, 6, 'BL-7001', 30, 0),
  (2, 1, 'BL-7002', 30, 2),
  (3, 2, 'BL-7010', 70, 1),
  (4, 2, 'BL-7012', 10, 0),
  (4, 3, 'BL-7011', 70, 3),
  (5, 4, 'BL-7044', 60, NULL),
  (6, 5, 'BL-7050', 12, 0);
