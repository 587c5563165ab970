INSERT INTO stations (station_id, station_name, neighbourhood, elevation_m, opened_on, closed_on, is_solar_powered) VALUES
(1, 'Canal Gate', 'Riverside', 12, '2019-04-01', NULL, 1),
(2, 'University Library', 'Campus', 48, '2019-04-01', NULL, 0),
(3, 'Hilltop Park', 'Upperton', 131, '2020-06-15', NULL, 1),
(4, 'Central Station', 'Old Town', 20, '2019-04-01', NULL, 0),
(5, 'Tannery Yard', 'Riverside', 10, '2021-03-20', '2023-12-31', 0),
(6, 'Observatory', 'Upperton', 164, '2022-05-01', NULL, 1);

INSERT INTO docks (dock_id, station_id, slot_number, is_operational, has_charger) VALUES
(101, 1, 1, 1, 1),
(102, 1, 2, 0, 0),
(201, 2, 1, 1, 0),
(202, 2, 2, 1, 1),
(301, 3, 1, 1, 0),
(401, 4, 1, 1, 1),
(501, 5, 1, 0, 0),
(601, 6, 1, 1, 0);

INSERT INTO bike_models (model_code, model_name, drive_code, frame_code, weight_kg, battery_wh) VALUES
('HRN', 'Heron', 'PED', 'STD', 17.5, NULL),
('HRV', 'Heron Volt', 'EAS', 'STD', 24.0, 460),
('OXC', 'Ox Carrier', 'EAS', 'CGO', 38.0, 600);

INSERT INTO bikes (bike_id, model_code, frame_number, commissioned_on, fleet_status, parked_dock_id) VALUES
(1, 'HRN', 'F-20019', '2019-04-01', 'active', 101),
(2, 'HRN', 'F-20044', '2019-04-01', 'active', 102),
(3, 'HRV', 'F-31007', '2022-05-01', 'active', 201),
(4, 'HRV', 'F-31012', '2022-05-01', 'workshop', NULL),
(5, 'OXC', 'F-40001', '2023-03-01', 'active', 401),
(6, 'HRN', 'F-20051', '2020-06-15', 'lost', NULL),
(7, 'HRV', 'F-31020', '2023-03-01', 'active', 601),
(8, 'HRN', 'F-20090', '2024-02-26', 'active', 301);

INSERT INTO riders (rider_id, full_name, email, birth_year, postcode, signed_up_on) VALUES
(1, 'Jonas Feldmark', 'jonas.feldmark@example.org', 1985, '1040', '2019-05-06'),
(2, 'Mireille Satori', 'mireille.satori@example.org', 2001, '1072', '2023-08-29'),
(3, 'Anouk Bergholt', 'anouk.bergholt@example.org', 1990, '1011', '2020-07-14'),
(4, 'Kofi Lindahl', 'kofi.lindahl@example.org', 2003, '1072', '2024-01-30'),
(5, 'Elin Marshden', 'elin.marshden@example.org', 1978, '1055', '2023-10-31'),
(6, 'Rafael Stonar', 'rafael.stonar@example.org', 1994, '1040', '2023-05-27');

INSERT INTO plans (plan_code, plan_name, monthly_fee, included_minutes, per_minute_rate) VALUES
('PAYG', 'Pay As You Go', 0, 0, 0.15),
('COMM', 'Commuter', 12.50, 30, 0.10),
('STUD', 'Student', 6.00, 30, 0.10),
('UNLM', 'Unlimited', 24.00, 120, 0.05);

INSERT INTO subscriptions (rider_id, plan_code, valid_from, valid_until, auto_renews) VALUES
(1, 'COMM', '2024-01-01', NULL, 1),
(2, 'STUD', '2023-09-01', '2024-02-29', 0),
(2, 'PAYG', '2024-03-01', NULL, 0),
(3, 'UNLM', '2024-02-01', NULL, 1),
(4, 'STUD', '2024-02-01', NULL, 1),
(5, 'COMM', '2023-11-01', '2023-12-31', 0),
(6, 'COMM', '2023-06-01', '2023-11-30', 0);

INSERT INTO trips (trip_id, rider_id, bike_id, start_dock_id, end_dock_id, started_at, ended_at, distance_km, fare_charged) VALUES
(1, 1, 1, 101, 201, '2024-03-04 08:05:00', '2024-03-04 08:21:00', 3.2, 0),
(2, 1, 3, 202, 101, '2024-03-04 17:40:00', '2024-03-04 18:01:00', 3.4, 0),
(3, 2, 5, 401, 301, '2024-03-09 14:10:00', '2024-03-09 14:52:00', 5.1, 6.30),
(4, 3, 3, 401, 601, '2024-03-05 08:30:00', '2024-03-05 08:55:00', 6.0, 0),
(5, 4, 7, 202, 601, '2024-03-06 12:15:00', '2024-03-06 12:40:00', 4.4, 0),
(6, 6, 6, 101, NULL, '2024-01-20 23:50:00', NULL, NULL, NULL),
(7, 4, 2, 201, 102, '2024-03-07 09:02:00', '2024-03-07 09:20:00', 3.1, 0),
(8, 3, 8, 301, 301, '2024-03-10 10:00:00', '2024-03-10 11:10:00', 12.5, 0);

INSERT INTO maintenance_jobs (job_id, bike_id, reported_by_rider_id, fault_category, opened_on, closed_on, mechanic_name, parts_cost) VALUES
(1, 5, NULL, 'gears', '2024-01-15', '2024-02-20', 'Sten Vargaard', 74.90),
(2, 4, NULL, 'battery', '2024-02-10', NULL, 'Sten Vargaard', 0),
(3, 3, 1, 'brakes', '2024-03-04', '2024-03-04', 'Lotte Hahnel', 18.00),
(4, 2, 4, 'puncture', '2024-03-07', '2024-03-08', 'Lotte Hahnel', 6.50),
(5, 1, 1, 'puncture', '2023-10-02', '2023-10-03', 'Sten Vargaard', 6.50),
(6, 7, 3, 'lights', '2024-03-12', '2024-03-13', 'Lotte Hahnel', 11.20);

INSERT INTO vans (van_id, licence_plate, nickname, bike_capacity) VALUES
(1, 'RB 1017', 'Magpie', 12),
(2, 'RB 1018', 'Badger', 8),
(3, 'RB 1019', 'Otter', 20);

INSERT INTO rebalancing_moves (van_id, bike_id, moved_at, from_station_id, to_station_id, driver_name) VALUES
(1, 3, '2024-03-05 05:40:00', 1, 4, 'Odd Nybergh'),
(1, 1, '2024-03-05 05:55:00', 2, 1, 'Odd Nybergh'),
(1, 7, '2024-03-05 06:30:00', 4, 2, 'Odd Nybergh'),
(2, 2, '2024-03-06 06:15:00', 1, 2, 'Ines Corvalho'),
(1, 3, '2024-03-08 06:00:00', 6, 2, 'Odd Nybergh'),
(1, 8, '2024-03-08 06:20:00', 6, 3, 'Odd Nybergh'),
(2, 5, '2024-03-10 07:00:00', 3, 4, 'Ines Corvalho');
