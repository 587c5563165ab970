CREATE TABLE cooperatives (
  cooperative_id INTEGER PRIMARY KEY,
  cooperative_name TEXT NOT NULL,
  region TEXT,
  country TEXT NOT NULL,
  member_count INTEGER,
  founded_year INTEGER
);

CREATE TABLE farms (
  farm_id INTEGER PRIMARY KEY,
  cooperative_id INTEGER REFERENCES cooperatives(cooperative_id), -- empty for independent estates
  farm_name TEXT NOT NULL,
  owner_name TEXT,
  altitude_m INTEGER, -- mean height of the coffee plots above sea level
  area_ha REAL -- planted with coffee
);

CREATE TABLE certifications (
  farm_id INTEGER NOT NULL,
  scheme TEXT NOT NULL, -- organic, fair trade, bird friendly
  certifier TEXT NOT NULL, -- body that inspects and issues
  certificate_number TEXT,
  issued_on DATE NOT NULL,
  valid_until DATE NOT NULL,
  PRIMARY KEY (farm_id, scheme),
  FOREIGN KEY (farm_id) REFERENCES farms(farm_id)
);

CREATE TABLE lots (
  lot_id INTEGER PRIMARY KEY,
  farm_id INTEGER NOT NULL REFERENCES farms(farm_id),
  lot_code TEXT NOT NULL,
  variety TEXT, -- botanical variety of the coffee plant
  process TEXT, -- washed, natural or honey
  harvest_year INTEGER NOT NULL,
  bags INTEGER NOT NULL, -- green coffee produced
  bag_weight_kg NUMERIC,
  moisture_pct REAL
);

CREATE TABLE roasters (
  roaster_id INTEGER PRIMARY KEY,
  roaster_name TEXT NOT NULL,
  city TEXT,
  country TEXT,
  annual_capacity_t NUMERIC -- tonnes of roasted coffee
);

CREATE TABLE cuppers (
  cupper_id INTEGER PRIMARY KEY,
  roaster_id INTEGER REFERENCES roasters(roaster_id), -- employer, empty for freelancers
  cupper_name TEXT NOT NULL,
  licence_level TEXT,
  home_country TEXT
);

CREATE TABLE cuppings (
  lot_id INTEGER NOT NULL,
  cupper_id INTEGER NOT NULL,
  cupped_on DATE NOT NULL,
  acidity REAL, -- 0 to 10
  mouthfeel REAL, -- 0 to 10
  total_score REAL NOT NULL, -- 0 to 100, specialty grade from 80
  defect_count INTEGER,
  tasting_notes TEXT,
  PRIMARY KEY (lot_id, cupper_id, cupped_on),
  FOREIGN KEY (lot_id) REFERENCES lots(lot_id),
  FOREIGN KEY (cupper_id) REFERENCES cuppers(cupper_id)
);

CREATE TABLE blends (
  blend_id INTEGER PRIMARY KEY,
  roaster_id INTEGER NOT NULL REFERENCES roasters(roaster_id),
  blend_name TEXT NOT NULL,
  roast_level TEXT, -- light, medium or dark
  price_eur_kg NUMERIC -- retail
);

CREATE TABLE contracts (
  contract_id INTEGER PRIMARY KEY,
  lot_id INTEGER NOT NULL REFERENCES lots(lot_id),
  roaster_id INTEGER NOT NULL REFERENCES roasters(roaster_id), -- buyer
  blend_id INTEGER REFERENCES blends(blend_id), -- blend it is bought for, empty if sold as single origin
  signed_on DATE NOT NULL,
  bags_sold INTEGER NOT NULL,
  price_usd_lb NUMERIC, -- per pound of green coffee
  incoterm TEXT,
  contract_status TEXT NOT NULL -- open, in transit or fulfilled
);

CREATE TABLE containers (
  container_id INTEGER PRIMARY KEY,
  container_number TEXT NOT NULL,
  vessel_name TEXT,
  port_of_loading TEXT,
  port_of_discharge TEXT,
  sailed_on DATE,
  arrived_on DATE -- empty while at sea
);

CREATE TABLE shipments (
  contract_id INTEGER NOT NULL,
  container_id INTEGER NOT NULL,
  bill_of_lading TEXT,
  bags_loaded INTEGER NOT NULL,
  damaged_bags INTEGER, -- wet, torn or infested on unloading
  PRIMARY KEY (contract_id, container_id),
  FOREIGN KEY (contract_id) REFERENCES contracts(contract_id),
  FOREIGN KEY (container_id) REFERENCES containers(container_id)
);
