INSERT INTO species (species_code, common_name, is_exotic, typical_lifespan_years) VALUES
('CAN', 'Dog', 0, 12),
('FEL', 'Cat', 0, 15),
('LAG', 'Rabbit', 0, 9),
('PSI', 'Parrot', 1, 30),
('TES', 'Tortoise', 1, 70);

INSERT INTO owners (owner_id, full_name, phone, email, town, registered_on) VALUES
(1, 'Henrike Vossberg', '555-0101', 'h.vossberg@example.org', 'Norrvik', '2018-07-02'),
(2, 'Paulo Tadeu', '555-0102', 'paulo.tadeu@example.org', 'Almstead', '2016-01-20'),
(3, 'Agnes Lidholm', '555-0103', 'agnes.lidholm@example.org', 'Norrvik', '2012-10-11'),
(4, 'Dario Pennwick', '555-0104', 'dario.pennwick@example.org', 'Almstead', '2014-03-05'),
(5, 'Rosalie Kempe', '555-0105', 'rosalie.kempe@example.org', 'Thornby', '2017-05-28'),
(6, 'Ivo Strandell', '555-0106', 'ivo.strandell@example.org', 'Norrvik', '2024-02-12');

INSERT INTO animals (animal_id, call_name, species_code, breed, sex_code, birth_date, microchip_number, died_on) VALUES
(1, 'Biscuit', 'CAN', 'Beagle', 'MN', '2018-05-11', '900001000000011', NULL),
(2, 'Pebble', 'FEL', 'European Shorthair', 'F', '2011-08-03', '900001000000027', NULL),
(3, 'Tinker', 'FEL', 'Siamese', 'FN', '2012-09-30', '900001000000034', '2024-03-09'),
(4, 'Clover', 'LAG', 'Dwarf Lop', 'F', '2021-04-17', NULL, NULL),
(5, 'Mango', 'PSI', 'Sun Conure', 'U', '2016-06-01', NULL, NULL),
(6, 'Duke', 'CAN', 'Labrador Retriever', 'M', '2013-12-22', '900001000000058', NULL),
(7, 'Sheldon', 'TES', 'Hermann''s Tortoise', 'M', '1995-07-01', '900001000000063', NULL);

INSERT INTO animal_owners (animal_id, owner_id, is_primary_contact, since_date) VALUES
(1, 1, 1, '2018-07-02'),
(1, 3, 0, '2021-01-15'),
(2, 2, 1, '2016-01-20'),
(3, 3, 1, '2012-12-01'),
(4, 4, 1, '2021-06-19'),
(5, 5, 1, '2017-05-28'),
(6, 4, 1, '2014-03-05'),
(7, 5, 1, '2017-05-28');

INSERT INTO staff (staff_id, full_name, job_code, licence_number, hired_on, supervisor_id) VALUES
(1, 'Liese Amundgard', 'VET', 'V-2201', '2008-04-01', NULL),
(2, 'Caspar Okorie', 'VET', 'V-3178', '2015-09-01', 1),
(3, 'Nina Falkner', 'VET', 'V-4410', '2022-02-15', 1),
(4, 'Jutta Brandeis', 'NUR', 'N-0932', '2012-06-11', 1),
(5, 'Milo Carrow', 'NUR', 'N-1456', '2020-11-02', 4),
(6, 'Petra Lundell', 'REC', NULL, '2019-01-07', 4);

INSERT INTO visits (visit_id, animal_id, attending_vet_id, checked_in_at, visit_kind, presenting_complaint, body_weight_kg, follow_up_of) VALUES
(1, 1, 1, '2024-01-15 09:10:00', 'ROU', 'annual check and booster', 14.2, NULL),
(2, 1, 2, '2024-03-02 22:40:00', 'EMG', 'ate a bar of chocolate', 14.6, NULL),
(3, 2, 1, '2024-02-05 11:30:00', 'ROU', 'losing weight, drinks a lot', 3.9, NULL),
(4, 2, 1, '2024-03-18 11:00:00', 'FUP', 'kidney recheck', 3.6, 3),
(5, 3, 2, '2024-03-09 03:15:00', 'EMG', 'hit by a car', 4.1, NULL),
(6, 4, 3, '2024-02-20 15:45:00', 'ROU', 'overgrown teeth', 1.8, NULL),
(7, 5, 3, '2023-11-11 10:20:00', 'ROU', 'plucking its feathers', 0.12, NULL),
(8, 6, 2, '2023-06-14 08:30:00', 'ROU', 'lump on the flank', 31.5, NULL);

INSERT INTO treatments (treatment_id, visit_id, performed_by, treatment_name, category_code, fee, anaesthesia_minutes) VALUES
(1, 1, 4, 'Distemper and parvovirus booster', 'VACC', 45.00, NULL),
(2, 2, 2, 'Induced vomiting', 'MEDI', 120.00, NULL),
(3, 3, 2, 'Abdominal ultrasound', 'IMAG', 150.00, NULL),
(4, 5, 2, 'Splenectomy', 'SURG', 980.00, 95),
(5, 6, 3, 'Molar burring', 'DENT', 160.00, 20),
(6, 6, 4, 'Myxomatosis vaccine', 'VACC', 40.00, NULL),
(7, 7, 3, 'Beak trim', 'MEDI', 35.00, NULL),
(8, 8, 1, 'Lipoma removal', 'SURG', 540.00, 50);

INSERT INTO medications (medication_id, generic_name, drug_class, is_controlled, stock_units, reorder_level, unit_price) VALUES
(1, 'amoxicillin', 'ABX', 0, 40, 60, 0.35),
(2, 'meloxicam', 'NSA', 0, 120, 50, 0.60),
(3, 'buprenorphine', 'OPI', 1, 8, 10, 4.20),
(4, 'benazepril', 'CAR', 0, 90, 30, 0.55),
(5, 'activated charcoal', 'TOX', 0, 25, 10, 0.90),
(6, 'enrofloxacin', 'ABX', 0, 75, 40, 0.80);

INSERT INTO prescriptions (visit_id, medication_id, dose_mg, doses_per_day, course_days) VALUES
(2, 5, 14000, 2, 1),
(3, 4, 2.5, 1, 30),
(6, 6, 18, 1, 7),
(6, 2, 0.9, 1, 5),
(7, 2, 0.06, 2, 10),
(8, 3, 0.6, 3, 2),
(8, 1, 350, 2, 8);

INSERT INTO lab_tests (lab_test_id, visit_id, drawn_by, test_name, sampled_on, result_value, result_unit, reference_low, reference_high) VALUES
(1, 3, 4, 'Creatinine', '2024-02-05', 268, 'umol/L', 70, 190),
(2, 3, 4, 'Urea', '2024-02-05', 14.1, 'mmol/L', 6, 12),
(3, 4, 5, 'Creatinine', '2024-03-18', 231, 'umol/L', 70, 190),
(4, 5, 5, 'Haematocrit', '2024-03-09', 19, '%', 30, 45),
(5, 1, 4, 'Total protein', '2024-01-15', 65, 'g/L', 54, 75),
(6, 8, 4, 'Alanine aminotransferase', '2023-06-14', 48, 'U/L', 10, 90),
(7, 7, 5, 'Uric acid', '2023-11-11', 210, 'umol/L', 120, 600);

INSERT INTO insurance_policies (policy_number, animal_id, insurer_name, annual_limit, reimbursement_percent, valid_from, valid_until) VALUES
('TM-1001', 1, 'Tannwald Mutual', 4000, 80, '2023-06-01', '2024-05-31'),
('TM-1002', 2, 'Tannwald Mutual', 2500, 70, '2022-01-01', '2023-12-31'),
('QC-0077', 3, 'Quillon Cover', 5000, 90, '2023-09-01', '2024-08-31'),
('QC-0078', 6, 'Quillon Cover', 3000, 75, '2023-01-01', '2023-12-31');
