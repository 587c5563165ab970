CREATE TABLE grape_varieties (
  variety_code TEXT PRIMARY KEY,
  variety_name TEXT NOT NULL,
  berry_colour TEXT NOT NULL, -- red or white
  ripening TEXT -- early, mid or late
);

CREATE TABLE parcels (
  parcel_id INTEGER PRIMARY KEY,
  parcel_name TEXT NOT NULL,
  variety_code TEXT NOT NULL REFERENCES grape_varieties(variety_code),
  area_ha REAL NOT NULL,
  soil_type TEXT,
  aspect TEXT, -- compass direction the slope faces
  planted_year INTEGER,
  is_organic BOOLEAN NOT NULL -- 1 if certified
);

CREATE TABLE harvests (
  harvest_id INTEGER PRIMARY KEY,
  parcel_id INTEGER NOT NULL REFERENCES parcels(parcel_id),
  picked_on DATE NOT NULL,
  picking_method TEXT NOT NULL, -- hand or machine
  weight_kg REAL NOT NULL,
  must_brix REAL -- sugar content of the juice, degrees Brix
);

CREATE TABLE tanks (
  tank_id INTEGER PRIMARY KEY,
  tank_label TEXT NOT NULL,
  material TEXT NOT NULL,
  capacity_litres INTEGER NOT NULL,
  has_cooling BOOLEAN
);

CREATE TABLE fermentations (
  fermentation_id INTEGER PRIMARY KEY,
  harvest_id INTEGER NOT NULL REFERENCES harvests(harvest_id),
  tank_id INTEGER NOT NULL REFERENCES tanks(tank_id),
  yeast_strain TEXT, -- wild if none was added
  started_on DATE NOT NULL,
  finished_on DATE -- NULL while the lot is still active
);

CREATE TABLE lab_samples (
  sample_id INTEGER PRIMARY KEY,
  fermentation_id INTEGER NOT NULL REFERENCES fermentations(fermentation_id),
  taken_on DATE NOT NULL,
  alcohol_pct REAL,
  ph REAL,
  residual_sugar_gl REAL, -- grams per litre
  volatile_acidity_gl REAL -- grams per litre, as acetic acid
);

CREATE TABLE barrels (
  barrel_id INTEGER PRIMARY KEY,
  cooper_name TEXT NOT NULL, -- workshop that built it
  oak_origin TEXT,
  toast_level TEXT, -- light, medium or heavy
  volume_litres INTEGER,
  first_used_year INTEGER, -- year of its first fill
  fermentation_id INTEGER REFERENCES fermentations(fermentation_id) -- lot it holds or last held, NULL if never filled
);

CREATE TABLE bottlings (
  bottling_id INTEGER PRIMARY KEY,
  label_name TEXT NOT NULL,
  vintage_year INTEGER NOT NULL, -- year the grapes were picked
  bottled_on DATE NOT NULL,
  bottle_count INTEGER NOT NULL,
  list_price NUMERIC -- cellar-door price of one bottle
);

CREATE TABLE bottling_components (
  bottling_id INTEGER NOT NULL REFERENCES bottlings(bottling_id),
  fermentation_id INTEGER NOT NULL REFERENCES fermentations(fermentation_id),
  share_pct REAL NOT NULL, -- part of the final blend
  PRIMARY KEY (bottling_id, fermentation_id)
);

CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  customer_name TEXT NOT NULL,
  customer_type TEXT NOT NULL, -- restaurant, importer, shop or private
  country TEXT,
  contact_email TEXT
);

CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers(customer_id),
  bottling_id INTEGER NOT NULL REFERENCES bottlings(bottling_id),
  ordered_on DATE NOT NULL,
  bottles_ordered INTEGER NOT NULL,
  unit_price NUMERIC NOT NULL, -- agreed price per bottle
  shipped_on DATE -- NULL until it leaves the cellar
);
