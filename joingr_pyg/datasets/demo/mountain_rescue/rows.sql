INSERT INTO stations (station_id, station_name, valley, elevation_m, has_helipad, founded_year) VALUES
  (1, 'Hohenfels', 'Graubach Valley', 1180, 1, 1949),
  (2, 'Larchmoor', 'Tannen Valley', 940, 0, 1956),
  (3, 'Steinalm', 'Upper Seetal', 1720, 1, 1971),
  (4, 'Kaltwasser', 'Lower Seetal', 860, 0, 1988);

INSERT INTO volunteers (volunteer_id, station_id, full_name, birth_date, joined_on, occupation, blood_group, is_active) VALUES
  (1, 1, 'Mirja Tallgren', '1984-03-12', '2009-05-01', 'carpenter', '0+', 1),
  (2, 1, 'Anton Brugglechner', '1979-11-02', '2003-09-15', 'electrician', 'A+', 1),
  (3, 2, 'Ludovic Sarmelin', '1990-07-23', '2015-01-10', 'nurse', 'B-', 1),
  (4, 2, 'Petra Osolnik', '1968-01-30', '1994-06-01', 'teacher', 'A-', 1),
  (5, 3, 'Jorunn Fagerdal', '1992-09-09', '2017-11-20', 'veterinarian', '0-', 1),
  (6, 3, 'Emil Zaugger', '1987-05-17', '2012-03-03', 'ski instructor', 'AB+', 1),
  (7, 4, 'Rosalia Centeneri', '1995-12-05', '2020-02-14', 'paramedic', 'A+', 1),
  (8, 4, 'Tobias Wendrich', '1973-08-28', '1999-10-01', 'forester', '0+', 0);

INSERT INTO qualifications (volunteer_id, skill, level, issued_by, issued_on, expires_on) VALUES
  (1, 'rope rescue', 'instructor', 'Alpine Rescue Federation', '2021-04-10', '2026-04-10'),
  (1, 'avalanche search', 'advanced', 'Alpine Rescue Federation', '2022-12-01', '2025-12-01'),
  (2, 'rope rescue', 'basic', 'Alpine Rescue Federation', '2020-06-15', '2025-06-15'),
  (3, 'paramedic', 'advanced', 'Regional Health Board', '2021-02-20', '2024-02-20'),
  (5, 'dog handling', 'advanced', 'Search Dog Association', '2022-03-05', '2025-03-05'),
  (5, 'avalanche search', 'basic', 'Alpine Rescue Federation', '2022-01-18', '2025-01-18'),
  (6, 'helicopter winch', 'advanced', 'Air Rescue Academy', '2023-05-11', '2026-05-11'),
  (7, 'paramedic', 'instructor', 'Regional Health Board', '2023-09-30', '2026-09-30');

INSERT INTO dogs (dog_id, handler_id, call_name, breed, born_on, search_specialty, retired_on) VALUES
  (1, 5, 'Fjella', 'Border Collie', '2018-04-02', 'avalanche', NULL),
  (2, 3, 'Bruno', 'Labrador Retriever', '2015-01-25', 'area search', '2024-09-30'),
  (3, 8, 'Asta', 'German Shepherd', '2012-11-08', 'avalanche', '2022-03-31'),
  (4, 6, 'Kira', 'Malinois', '2021-05-14', 'trailing', NULL);

INSERT INTO routes (route_id, route_name, massif, route_type, grade, length_km, ascent_m, nearest_station_id) VALUES
  (1, 'Falkengrat', 'Rauhorn', 'alpine climb', 'D', 9.5, 1350, 1),
  (2, 'Seetal Round', 'Silberspitze', 'hiking trail', 'T3', 14.2, 980, 3),
  (3, 'Eisenweg', 'Rauhorn', 'via ferrata', 'K4', 4.1, 620, 1),
  (4, 'Gamskar Couloir', 'Silberspitze', 'ski tour', 'ZS', 11.8, 1540, 3),
  (5, 'Tannen Ridge Path', 'Moosberg', 'hiking trail', 'T2', 8.6, 540, 2),
  (6, 'Kaltwasser Gorge', 'Moosberg', 'hiking trail', 'T4', 6.3, 410, 4),
  (7, 'Weissjoch Traverse', 'Silberspitze', 'ski tour', 'WS', 16.4, 1280, 3);

INSERT INTO weather_reports (report_id, station_id, observed_at, temperature_c, wind_gust_kmh, visibility_m, fresh_snow_cm, avalanche_danger) VALUES
  (1, 1, '2024-01-14 06:00:00', -9.5, 62, 800, 45, 4),
  (2, 3, '2024-02-03 07:30:00', -12.0, 88, 300, 60, 4),
  (3, 3, '2024-02-18 09:00:00', -4.0, 35, 5000, 0, 3),
  (4, 1, '2024-06-22 13:00:00', 16.5, 28, 15000, 0, NULL),
  (5, 2, '2024-07-09 17:00:00', 21.0, 74, 6000, 0, NULL),
  (6, 1, '2024-08-11 10:00:00', 18.0, 20, 20000, 0, NULL),
  (7, 4, '2024-10-05 18:00:00', 7.5, 41, 900, 0, NULL),
  (8, 2, '2024-12-29 08:00:00', -6.0, 95, 1200, 30, 3);

INSERT INTO missions (mission_id, lead_station_id, route_id, weather_report_id, alarm_at, stood_down_at, incident_type, outcome) VALUES
  (1, 3, 4, 2, '2024-02-03 09:10:00', '2024-02-03 16:40:00', 'avalanche', 'completed'),
  (2, 3, 7, 3, '2024-02-18 11:25:00', '2024-02-18 14:05:00', 'avalanche', 'completed'),
  (3, 1, 1, 4, '2024-06-22 14:05:00', '2024-06-22 19:30:00', 'fall', 'completed'),
  (4, 2, 5, 5, '2024-07-09 18:20:00', '2024-07-10 02:15:00', 'missing person', 'completed'),
  (5, 1, 3, 6, '2024-08-11 11:00:00', '2024-08-11 13:45:00', 'exhaustion', 'completed'),
  (6, 4, 6, 7, '2024-10-05 19:15:00', '2024-10-06 05:50:00', 'missing person', 'suspended'),
  (7, 2, NULL, NULL, '2024-11-02 12:40:00', '2024-11-02 15:10:00', 'paragliding accident', 'completed');

INSERT INTO vehicles (vehicle_id, station_id, plate_number, vehicle_type, seats, odometer_km, next_inspection_on) VALUES
  (1, 1, 'HF 112', 'off-road ambulance', 5, 84200, '2025-03-15'),
  (2, 2, 'LM 204', 'minibus', 9, 121500, '2024-11-30'),
  (3, 3, 'SA 318', 'snow groomer', 4, 6900, '2025-10-01'),
  (4, 3, 'SA 320', 'off-road car', 7, 45100, '2025-05-20'),
  (5, 4, 'KW 407', 'quad bike', 2, 9800, '2026-01-31');

INSERT INTO mission_crew (mission_id, volunteer_id, crew_role, vehicle_id, dog_id, hours_served) VALUES
  (1, 6, 'leader', 3, NULL, 7.5),
  (1, 5, 'dog handler', 3, 1, 7.5),
  (2, 1, 'leader', 4, NULL, 2.5),
  (3, 1, 'leader', 1, NULL, 5.5),
  (3, 3, 'medic', 1, NULL, 5.5),
  (4, 4, 'leader', 2, NULL, 8.0),
  (4, 3, 'dog handler', 2, 2, 8.0),
  (6, 7, 'leader', 5, NULL, 10.5);

INSERT INTO casualties (casualty_id, mission_id, age, home_country, naca_score, injury, evacuation, handed_over_to) VALUES
  (1, 1, 34, 'Austria', 7, 'asphyxia', 'helicopter', NULL),
  (2, 1, 29, 'Czechia', 4, 'femur fracture and hypothermia', 'helicopter', 'Seetal District Hospital'),
  (3, 2, 41, 'Germany', 2, 'knee injury', 'sled', 'Seetal District Hospital'),
  (4, 3, 52, 'Italy', 5, 'head injury', 'helicopter', 'Graubach Trauma Centre'),
  (5, 4, 71, 'Slovenia', 3, 'dehydration', 'stretcher', 'Tannen Clinic'),
  (6, 5, 19, 'Italy', 1, 'exhaustion', 'walked out', NULL),
  (7, 5, 23, 'Poland', 2, 'hand fracture', 'walked out', 'Graubach Trauma Centre'),
  (8, 7, 38, 'Switzerland', 4, 'pelvic fracture', 'helicopter', 'Graubach Trauma Centre');

INSERT INTO equipment (item_id, station_id, vehicle_id, item_name, category, serial_number, discard_after, item_status) VALUES
  (1, 1, 1, 'defibrillator', 'medical', 'AED-5521', '2029-05-31', 'in service'),
  (2, 1, 1, 'static rope 200 m', 'rope', 'R-0917', '2024-04-30', 'in service'),
  (3, 2, 2, 'vacuum mattress', 'medical', 'VM-110', '2028-01-31', 'in service'),
  (4, 3, 3, 'avalanche probe set', 'snow', 'AP-33', NULL, 'in service'),
  (5, 3, 4, 'mountain stretcher', 'transport', 'MS-07', '2031-12-31', 'in service'),
  (6, 1, NULL, 'static rope 100 m', 'rope', 'R-0771', '2022-06-30', 'discarded'),
  (7, 1, 4, 'rope winch', 'rope', 'RW-2', '2030-09-30', 'in service'),
  (8, 4, NULL, 'drone with thermal camera', 'search', 'DR-15', NULL, 'under repair');
