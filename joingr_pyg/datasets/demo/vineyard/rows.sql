INSERT INTO grape_varieties (variety_code, variety_name, berry_colour, ripening) VALUES
  ('SYR', 'Syrah', 'red', 'mid'),
  ('GRE', 'Grenache', 'red', 'late'),
  ('VIO', 'Viognier', 'white', 'early'),
  ('ROU', 'Roussanne', 'white', 'late'),
  ('MOU', 'Mourvedre', 'red', 'late');

INSERT INTO parcels (parcel_id, parcel_name, variety_code, area_ha, soil_type, aspect, planted_year, is_organic) VALUES
  (1, 'Upper Terrace', 'SYR', 1.8, 'schist', 'south', 1998, 1),
  (2, 'Chapel Field', 'GRE', 2.4, 'clay over limestone', 'south-east', 1974, 1),
  (3, 'River Bend', 'VIO', 0.9, 'gravel', 'east', 2009, 0),
  (4, 'Stone Wall', 'ROU', 1.1, 'limestone', 'north-east', 2012, 1),
  (5, 'Fox Hollow', 'SYR', 1.3, 'clay', 'west', 2015, 0),
  (6, 'New Plot', 'GRE', 0.7, 'sand', 'south', 2023, 0);

INSERT INTO harvests (harvest_id, parcel_id, picked_on, picking_method, weight_kg, must_brix) VALUES
  (1, 1, '2022-09-18', 'hand', 5400, 24.1),
  (2, 2, '2022-09-29', 'hand', 7800, 25.6),
  (3, 3, '2022-09-05', 'hand', 2900, 23.0),
  (4, 4, '2022-09-21', 'machine', 3600, 22.4),
  (5, 5, '2022-09-20', 'machine', 4700, 22.9),
  (6, 1, '2023-09-14', 'hand', 5100, 24.8),
  (7, 3, '2023-09-02', 'machine', 2800, 23.6),
  (8, 2, '2023-10-02', 'hand', 5900, 25.1);

INSERT INTO tanks (tank_id, tank_label, material, capacity_litres, has_cooling) VALUES
  (1, 'S1', 'stainless steel', 6000, 1),
  (2, 'S2', 'stainless steel', 3000, 1),
  (3, 'C1', 'concrete', 5500, 0),
  (4, 'W1', 'oak', 4000, 0),
  (5, 'S3', 'stainless steel', 1500, 1);

INSERT INTO fermentations (fermentation_id, harvest_id, tank_id, yeast_strain, started_on, finished_on) VALUES
  (1, 1, 3, 'wild', '2022-09-19', '2022-10-04'),
  (2, 2, 1, 'Y-12', '2022-09-30', '2022-10-17'),
  (3, 3, 2, 'Y-30', '2022-09-06', '2022-09-27'),
  (4, 4, 4, 'wild', '2022-09-22', '2022-10-12'),
  (5, 5, 1, 'Y-12', '2022-09-20', '2022-09-29'),
  (6, 6, 3, 'wild', '2023-09-15', '2023-10-01'),
  (7, 7, 2, 'Y-30', '2023-09-03', '2023-09-24'),
  (8, 8, 1, 'Y-12', '2023-10-03', NULL);

INSERT INTO lab_samples (sample_id, fermentation_id, taken_on, alcohol_pct, ph, residual_sugar_gl, volatile_acidity_gl) VALUES
  (1, 1, '2022-10-05', 13.6, 3.62, 1.2, 0.38),
  (2, 2, '2022-10-18', 14.9, 3.71, 3.9, 0.52),
  (3, 3, '2022-09-28', 13.1, 3.35, 1.8, 0.29),
  (4, 4, '2022-10-13', 12.7, 3.28, 2.2, 0.41),
  (5, 5, '2022-09-30', 12.9, 3.66, 1.5, 0.83),
  (6, 6, '2023-10-02', 14.0, 3.58, 1.1, 0.35),
  (7, 7, '2023-09-25', 13.4, 3.41, 2.0, 0.31),
  (8, 8, '2023-10-20', 11.2, 3.70, 48.0, 0.60);

INSERT INTO barrels (barrel_id, cooper_name, oak_origin, toast_level, volume_litres, first_used_year, fermentation_id) VALUES
  (1, 'Forge and Stave', 'French', 'medium', 228, 2022, 1),
  (2, 'Forge and Stave', 'French', 'heavy', 228, 2020, 2),
  (3, 'Brackwell Cooperage', 'American', 'medium', 300, 2019, 5),
  (4, 'Atelier Dornac', 'French', 'light', 600, 2021, 4),
  (5, 'Brackwell Cooperage', 'Hungarian', 'medium', 228, 2023, 6),
  (6, 'Atelier Dornac', 'French', 'light', 500, NULL, NULL);

INSERT INTO bottlings (bottling_id, label_name, vintage_year, bottled_on, bottle_count, list_price) VALUES
  (1, 'Terrace Red', 2022, '2024-02-12', 5200, 18.5),
  (2, 'Chapel Old Vines', 2022, '2024-03-20', 3900, 29),
  (3, 'River White', 2022, '2023-04-18', 1600, 15),
  (4, 'Two Slopes White', 2022, '2023-06-02', 3100, 17),
  (5, 'River White', 2023, '2024-04-09', 2300, 15.5);

INSERT INTO bottling_components (bottling_id, fermentation_id, share_pct) VALUES
  (1, 1, 60),
  (1, 5, 25),
  (1, 2, 15),
  (2, 2, 100),
  (3, 3, 100),
  (4, 4, 70),
  (4, 3, 30),
  (5, 7, 100);

INSERT INTO customers (customer_id, customer_name, customer_type, country, contact_email) VALUES
  (1, 'Saltgate Bistro', 'restaurant', 'Ireland', 'cellar.saltgate@example.org'),
  (2, 'Tulip Quay Imports', 'importer', 'Netherlands', 'orders.tulip@example.org'),
  (3, 'Elin Sandqvar', 'private', 'Sweden', 'elin.sandqvar@example.org'),
  (4, 'Ninestep Wine Shop', 'shop', 'Belgium', 'hello.ninestep@example.org'),
  (5, 'Fjellgard Dining Room', 'restaurant', 'Norway', NULL);

INSERT INTO orders (order_id, customer_id, bottling_id, ordered_on, bottles_ordered, unit_price, shipped_on) VALUES
  (1, 1, 1, '2024-03-01', 60, 17.5, '2024-03-05'),
  (2, 2, 2, '2024-04-02', 600, 22, '2024-04-15'),
  (3, 2, 3, '2023-05-10', 480, 11, '2023-05-20'),
  (4, 3, 4, '2023-07-01', 12, 17, '2023-07-04'),
  (5, 4, 1, '2024-03-15', 120, 16, NULL),
  (6, 1, 5, '2024-05-02', 36, 14.5, NULL),
  (7, 4, 2, '2024-04-11', 48, 26, '2024-04-14');
