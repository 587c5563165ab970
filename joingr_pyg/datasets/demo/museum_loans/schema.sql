CREATE TABLE institution (
  institution_id INTEGER PRIMARY KEY,
  institution_name TEXT NOT NULL,
  institution_type TEXT,
  city TEXT NOT NULL,
  country_code TEXT NOT NULL, -- ISO 3166 two letters
  climate_class TEXT -- gallery climate control, AA (tightest) to C
);

CREATE TABLE artist (
  artist_id INTEGER PRIMARY KEY,
  artist_name TEXT NOT NULL,
  nationality TEXT,
  birth_year INTEGER,
  death_year INTEGER, -- empty if still living
  movement TEXT
);

CREATE TABLE collection (
  collection_id INTEGER PRIMARY KEY,
  institution_id INTEGER NOT NULL REFERENCES institution(institution_id), -- owner
  collection_name TEXT NOT NULL,
  curator_name TEXT,
  donated_by TEXT -- empty if bought or built up by the owner
);

CREATE TABLE museum_object (
  object_id INTEGER PRIMARY KEY,
  collection_id INTEGER NOT NULL REFERENCES collection(collection_id),
  artist_id INTEGER REFERENCES artist(artist_id), -- empty if the maker is unknown
  accession_number TEXT NOT NULL, -- inventory number of the owner
  title TEXT NOT NULL,
  object_type TEXT, -- painting, sculpture, collage or ceramic
  medium TEXT,
  year_made INTEGER,
  height_cm REAL,
  width_cm REAL,
  is_fragile BOOLEAN NOT NULL
);

CREATE TABLE exhibition (
  exhibition_id INTEGER PRIMARY KEY,
  venue_id INTEGER NOT NULL REFERENCES institution(institution_id), -- host and borrower
  exhibition_title TEXT NOT NULL,
  opens_on DATE NOT NULL,
  closes_on DATE NOT NULL,
  visitor_count INTEGER -- final figure, empty until closed
);

CREATE TABLE loan (
  loan_id INTEGER PRIMARY KEY,
  exhibition_id INTEGER NOT NULL REFERENCES exhibition(exhibition_id),
  lender_id INTEGER NOT NULL REFERENCES institution(institution_id),
  requested_on DATE NOT NULL,
  approved_on DATE, -- empty while the lender is deciding
  due_back_on DATE,
  loan_status TEXT NOT NULL -- requested, approved, out, returned or overdue
);

CREATE TABLE courier (
  courier_id INTEGER PRIMARY KEY,
  institution_id INTEGER NOT NULL REFERENCES institution(institution_id), -- employer
  courier_name TEXT NOT NULL,
  languages TEXT,
  passport_expires_on DATE
);

CREATE TABLE insurance_policy (
  policy_id INTEGER PRIMARY KEY,
  insurer_name TEXT NOT NULL,
  policy_number TEXT NOT NULL,
  coverage_type TEXT NOT NULL, -- nail to nail, transit only or state indemnity
  premium_eur NUMERIC,
  valid_until DATE
);

CREATE TABLE loan_item (
  loan_id INTEGER NOT NULL,
  object_id INTEGER NOT NULL,
  courier_id INTEGER, -- empty if the crate travels unaccompanied
  policy_id INTEGER,
  insured_value_eur NUMERIC, -- value agreed for this loan
  crate_number TEXT,
  max_lux INTEGER, -- light limit agreed for display
  PRIMARY KEY (loan_id, object_id),
  FOREIGN KEY (loan_id) REFERENCES loan(loan_id),
  FOREIGN KEY (object_id) REFERENCES museum_object(object_id),
  FOREIGN KEY (courier_id) REFERENCES courier(courier_id),
  FOREIGN KEY (policy_id) REFERENCES insurance_policy(policy_id)
);

CREATE TABLE condition_report (
  report_id INTEGER PRIMARY KEY,
  object_id INTEGER NOT NULL REFERENCES museum_object(object_id),
  loan_id INTEGER REFERENCES loan(loan_id), -- empty for routine checks
  stage TEXT NOT NULL, -- outgoing, arrival, return or routine
  checked_on DATE NOT NULL,
  checked_by TEXT,
  condition_grade INTEGER, -- 1 excellent to 5 very poor
  remarks TEXT
);

CREATE TABLE conservation_treatment (
  treatment_id INTEGER PRIMARY KEY,
  report_id INTEGER NOT NULL REFERENCES condition_report(report_id), -- findings that called for it
  conservator_name TEXT NOT NULL,
  treatment_type TEXT,
  started_on DATE NOT NULL,
  finished_on DATE, -- empty while work goes on
  labour_hours REAL,
  cost_eur NUMERIC
);
