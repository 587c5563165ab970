CREATE TABLE species (
    species_code TEXT PRIMARY KEY, -- CAN, FEL, LAG, PSI, TES
    common_name TEXT NOT NULL, -- Dog, Cat, Rabbit, Parrot, Tortoise
    is_exotic BOOLEAN NOT NULL, -- 1 if it needs a vet trained for unusual pets
    typical_lifespan_years INTEGER
);

CREATE TABLE owners (
    owner_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    phone TEXT,
    email TEXT,
    town TEXT,
    registered_on DATE NOT NULL
);

CREATE TABLE animals (
    animal_id INTEGER PRIMARY KEY,
    call_name TEXT NOT NULL,
    species_code TEXT NOT NULL REFERENCES species(species_code),
    breed TEXT,
    sex_code TEXT, -- M, F, U unknown; trailing N = neutered (MN, FN)
    birth_date DATE,
    microchip_number TEXT UNIQUE,
    died_on DATE
);

CREATE TABLE animal_owners (
    animal_id INTEGER NOT NULL REFERENCES animals(animal_id),
    owner_id INTEGER NOT NULL REFERENCES owners(owner_id),
    is_primary_contact BOOLEAN NOT NULL, -- 1 for the person who is billed and called first
    since_date DATE,
    PRIMARY KEY (animal_id, owner_id)
);

CREATE TABLE staff (
    staff_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    job_code TEXT NOT NULL, -- VET veterinarian, NUR nurse, REC front desk
    licence_number TEXT, -- professional register, vets and nurses only
    hired_on DATE NOT NULL,
    supervisor_id INTEGER REFERENCES staff(staff_id)
);

CREATE TABLE visits (
    visit_id INTEGER PRIMARY KEY,
    animal_id INTEGER NOT NULL REFERENCES animals(animal_id),
    attending_vet_id INTEGER NOT NULL REFERENCES staff(staff_id),
    checked_in_at TIMESTAMP NOT NULL,
    visit_kind TEXT NOT NULL, -- ROU routine, EMG emergency, FUP follow-up
    presenting_complaint TEXT, -- what the owner came in for
    follow_up_of INTEGER REFERENCES visits(visit_id), -- the earlier visit this one checks on
    body_weight_kg REAL
);

CREATE TABLE treatments (
    treatment_id INTEGER PRIMARY KEY,
    visit_id INTEGER NOT NULL REFERENCES visits(visit_id),
    performed_by INTEGER NOT NULL REFERENCES staff(staff_id), -- may differ from the attending vet
    treatment_name TEXT NOT NULL,
    category_code TEXT NOT NULL, -- SURG surgery, DENT dental, VACC vaccination, IMAG imaging, MEDI other medical
    fee NUMERIC NOT NULL,
    anaesthesia_minutes INTEGER
);

CREATE TABLE medications (
    medication_id INTEGER PRIMARY KEY,
    generic_name TEXT NOT NULL,
    drug_class TEXT NOT NULL, -- ABX antibiotic, NSA anti-inflammatory, OPI opioid, CAR heart and kidney, TOX antidote
    is_controlled BOOLEAN NOT NULL, -- 1 if kept in the locked cabinet by law
    stock_units INTEGER NOT NULL, -- tablets or millilitres on the shelf
    reorder_level INTEGER NOT NULL, -- buy more when stock falls below this
    unit_price NUMERIC
);

CREATE TABLE prescriptions (
    visit_id INTEGER NOT NULL REFERENCES visits(visit_id),
    medication_id INTEGER NOT NULL REFERENCES medications(medication_id),
    dose_mg REAL NOT NULL, -- per single dose
    doses_per_day INTEGER NOT NULL,
    course_days INTEGER NOT NULL, -- length of the course
    PRIMARY KEY (visit_id, medication_id)
);

CREATE TABLE lab_tests (
    lab_test_id INTEGER PRIMARY KEY,
    visit_id INTEGER NOT NULL REFERENCES visits(visit_id),
    drawn_by INTEGER NOT NULL REFERENCES staff(staff_id), -- who took the sample
    test_name TEXT NOT NULL,
    sampled_on DATE NOT NULL,
    result_value REAL,
    result_unit TEXT,
    reference_low REAL, -- lower end of the normal range
    reference_high REAL
);

CREATE TABLE insurance_policies (
    policy_number TEXT PRIMARY KEY,
    animal_id INTEGER NOT NULL REFERENCES animals(animal_id),
    insurer_name TEXT NOT NULL,
    annual_limit NUMERIC, -- most the insurer pays in a year
    reimbursement_percent INTEGER NOT NULL, -- share of a bill the insurer pays back
    valid_from DATE NOT NULL,
    valid_until DATE NOT NULL
);
