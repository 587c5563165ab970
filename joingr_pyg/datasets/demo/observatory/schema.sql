CREATE TABLE telescope (
  telescope_id INTEGER PRIMARY KEY,
  telescope_name TEXT NOT NULL,
  aperture_m REAL NOT NULL, -- diameter of the main mirror
  mount_type TEXT,
  first_light_year INTEGER
);

CREATE TABLE instrument (
  instrument_id INTEGER PRIMARY KEY,
  telescope_id INTEGER NOT NULL REFERENCES telescope(telescope_id),
  instrument_name TEXT NOT NULL,
  instrument_kind TEXT NOT NULL, -- imager, wide-field imager or spectrograph
  pixel_scale_arcsec REAL, -- patch of sky on one pixel
  is_offered BOOLEAN NOT NULL -- 1 if users can apply for it
);

CREATE TABLE optical_filter (
  filter_code TEXT PRIMARY KEY,
  filter_name TEXT NOT NULL,
  central_wavelength_nm REAL,
  bandwidth_nm REAL
);

CREATE TABLE investigator (
  investigator_id INTEGER PRIMARY KEY,
  full_name TEXT NOT NULL,
  institute TEXT,
  country TEXT,
  email TEXT
);

CREATE TABLE proposal (
  proposal_id INTEGER PRIMARY KEY,
  proposal_code TEXT NOT NULL,
  title TEXT NOT NULL,
  semester TEXT NOT NULL,
  science_category TEXT,
  committee_grade TEXT, -- A is best, C is not recommended
  hours_requested REAL NOT NULL,
  hours_awarded REAL NOT NULL -- 0 if rejected
);

CREATE TABLE proposal_investigator (
  proposal_id INTEGER NOT NULL REFERENCES proposal(proposal_id),
  investigator_id INTEGER NOT NULL REFERENCES investigator(investigator_id),
  is_principal BOOLEAN NOT NULL, -- 1 for the head of the team
  PRIMARY KEY (proposal_id, investigator_id)
);

CREATE TABLE target (
  target_id INTEGER PRIMARY KEY,
  target_name TEXT NOT NULL,
  object_class TEXT NOT NULL,
  ra_deg REAL, -- right ascension, NULL for moving objects
  dec_deg REAL, -- declination, NULL for moving objects
  v_magnitude REAL -- brightness, smaller is brighter
);

CREATE TABLE night_weather (
  night_date DATE PRIMARY KEY, -- date at sunset
  humidity_pct REAL,
  max_wind_ms REAL, -- metres per second
  cloud_cover_pct REAL,
  median_seeing_arcsec REAL, -- blur of the air, NULL if not measured
  moon_illumination_pct REAL
);

CREATE TABLE observing_run (
  run_id INTEGER PRIMARY KEY,
  proposal_id INTEGER NOT NULL REFERENCES proposal(proposal_id),
  instrument_id INTEGER NOT NULL REFERENCES instrument(instrument_id),
  night_date DATE NOT NULL REFERENCES night_weather(night_date),
  observer_id INTEGER REFERENCES investigator(investigator_id), -- who took the data
  hours_allotted REAL NOT NULL,
  hours_lost REAL NOT NULL -- weather or technical downtime
);

CREATE TABLE exposure (
  exposure_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES observing_run(run_id),
  target_id INTEGER NOT NULL REFERENCES target(target_id),
  filter_code TEXT REFERENCES optical_filter(filter_code), -- NULL for spectra
  started_at TIMESTAMP NOT NULL,
  shutter_s REAL NOT NULL, -- time the shutter was open
  airmass REAL, -- 1 is overhead, larger is lower in the sky
  quality TEXT -- good, usable or poor
);

CREATE TABLE calibration_frame (
  frame_id INTEGER PRIMARY KEY,
  instrument_id INTEGER NOT NULL REFERENCES instrument(instrument_id),
  night_date DATE NOT NULL REFERENCES night_weather(night_date),
  frame_type TEXT NOT NULL, -- bias, dark, flat or arc
  filter_code TEXT REFERENCES optical_filter(filter_code), -- set for flats only
  shutter_s REAL NOT NULL,
  file_name TEXT
);
