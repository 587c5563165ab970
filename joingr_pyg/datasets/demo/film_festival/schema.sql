CREATE TABLE person (
  person_id INTEGER PRIMARY KEY,
  full_name TEXT NOT NULL,
  birth_year INTEGER,
  nationality TEXT,
  email TEXT
);

CREATE TABLE sponsor (
  sponsor_id INTEGER PRIMARY KEY,
  sponsor_name TEXT NOT NULL,
  tier TEXT NOT NULL, -- main, partner or supporter
  contribution_eur NUMERIC, -- cash and estimated value of goods
  contact_email TEXT
);

CREATE TABLE section (
  section_id INTEGER PRIMARY KEY,
  section_name TEXT NOT NULL, -- strand of the programme
  is_competitive BOOLEAN NOT NULL, -- 1 if a jury gives prizes in it
  programmer_id INTEGER REFERENCES person(person_id) -- who selects the films
);

CREATE TABLE film (
  film_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL, -- original title
  english_title TEXT NOT NULL,
  production_country TEXT,
  spoken_language TEXT,
  release_year INTEGER,
  runtime_min INTEGER,
  premiere_status TEXT, -- world, international, national or NULL
  section_id INTEGER NOT NULL REFERENCES section(section_id)
);

CREATE TABLE credit_role (
  role_code TEXT PRIMARY KEY,
  role_name TEXT NOT NULL,
  department TEXT NOT NULL -- part of the crew it belongs to
);

CREATE TABLE credit (
  film_id INTEGER NOT NULL REFERENCES film(film_id),
  person_id INTEGER NOT NULL REFERENCES person(person_id),
  role_code TEXT NOT NULL REFERENCES credit_role(role_code),
  billing_order INTEGER, -- position in the titles, 1 is first
  PRIMARY KEY (film_id, person_id, role_code)
);

CREATE TABLE venue (
  venue_id INTEGER PRIMARY KEY,
  venue_name TEXT NOT NULL,
  district TEXT,
  seat_count INTEGER,
  has_step_free_access BOOLEAN, -- suitable for wheelchairs
  is_open_air BOOLEAN
);

CREATE TABLE screening (
  screening_id INTEGER PRIMARY KEY,
  film_id INTEGER NOT NULL REFERENCES film(film_id),
  venue_id INTEGER NOT NULL REFERENCES venue(venue_id),
  starts_at TIMESTAMP NOT NULL,
  has_discussion BOOLEAN -- film crew answers questions afterwards
);

CREATE TABLE ticket (
  ticket_id INTEGER PRIMARY KEY,
  screening_id INTEGER NOT NULL REFERENCES screening(screening_id),
  fare TEXT NOT NULL, -- full, reduced or press
  price_eur NUMERIC NOT NULL,
  sold_at TIMESTAMP NOT NULL,
  was_scanned BOOLEAN NOT NULL -- 1 once the holder has entered the hall
);

CREATE TABLE jury_member (
  section_id INTEGER NOT NULL REFERENCES section(section_id),
  person_id INTEGER NOT NULL REFERENCES person(person_id),
  is_president BOOLEAN NOT NULL,
  PRIMARY KEY (section_id, person_id)
);

CREATE TABLE award (
  award_id INTEGER PRIMARY KEY,
  award_name TEXT NOT NULL,
  section_id INTEGER REFERENCES section(section_id), -- NULL for prizes of the whole festival
  sponsor_id INTEGER REFERENCES sponsor(sponsor_id), -- who pays the prize money
  prize_eur NUMERIC, -- money that comes with it, 0 if none
  winning_film_id INTEGER REFERENCES film(film_id) -- NULL until decided
);
