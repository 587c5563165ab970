CREATE TABLE stations (
  station_id INTEGER PRIMARY KEY,
  station_name TEXT NOT NULL,
  valley TEXT NOT NULL,
  elevation_m INTEGER,
  has_helipad BOOLEAN NOT NULL,
  founded_year INTEGER
);

CREATE TABLE volunteers (
  volunteer_id INTEGER PRIMARY KEY,
  station_id INTEGER NOT NULL REFERENCES stations(station_id), -- home station
  full_name TEXT NOT NULL,
  birth_date DATE,
  joined_on DATE NOT NULL,
  occupation TEXT, -- day job outside the rescue service
  blood_group TEXT,
  is_active BOOLEAN NOT NULL -- false once the member no longer answers alarms
);

CREATE TABLE qualifications (
  volunteer_id INTEGER NOT NULL REFERENCES volunteers(volunteer_id),
  skill TEXT NOT NULL, -- paramedic, rope rescue, avalanche search, dog handling, helicopter winch
  level TEXT NOT NULL, -- basic, advanced or instructor
  issued_by TEXT,
  issued_on DATE NOT NULL,
  expires_on DATE,
  PRIMARY KEY (volunteer_id, skill)
);

CREATE TABLE dogs (
  dog_id INTEGER PRIMARY KEY,
  handler_id INTEGER NOT NULL REFERENCES volunteers(volunteer_id),
  call_name TEXT NOT NULL,
  breed TEXT,
  born_on DATE,
  search_specialty TEXT, -- avalanche, area search or trailing
  retired_on DATE -- empty while the dog is operational
);

CREATE TABLE routes (
  route_id INTEGER PRIMARY KEY,
  route_name TEXT NOT NULL,
  massif TEXT,
  route_type TEXT NOT NULL, -- hiking trail, alpine climb, via ferrata or ski tour
  grade TEXT, -- difficulty on the scale customary for the route type
  length_km REAL,
  ascent_m INTEGER,
  nearest_station_id INTEGER REFERENCES stations(station_id)
);

CREATE TABLE weather_reports (
  report_id INTEGER PRIMARY KEY,
  station_id INTEGER NOT NULL REFERENCES stations(station_id), -- where the reading was taken
  observed_at TIMESTAMP NOT NULL,
  temperature_c REAL,
  wind_gust_kmh INTEGER,
  visibility_m INTEGER,
  fresh_snow_cm INTEGER, -- fallen in the last 24 hours
  avalanche_danger INTEGER -- 1 low to 5 very high, empty in summer
);

CREATE TABLE missions (
  mission_id INTEGER PRIMARY KEY,
  lead_station_id INTEGER NOT NULL REFERENCES stations(station_id),
  route_id INTEGER REFERENCES routes(route_id), -- empty when the incident was off any known route
  weather_report_id INTEGER REFERENCES weather_reports(report_id), -- reading consulted before launch
  alarm_at TIMESTAMP NOT NULL,
  stood_down_at TIMESTAMP,
  incident_type TEXT NOT NULL,
  outcome TEXT -- completed, suspended or false alarm
);

CREATE TABLE vehicles (
  vehicle_id INTEGER PRIMARY KEY,
  station_id INTEGER NOT NULL REFERENCES stations(station_id),
  plate_number TEXT NOT NULL,
  vehicle_type TEXT NOT NULL,
  seats INTEGER,
  odometer_km INTEGER,
  next_inspection_on DATE
);

CREATE TABLE mission_crew (
  mission_id INTEGER NOT NULL,
  volunteer_id INTEGER NOT NULL,
  crew_role TEXT NOT NULL, -- leader, medic, rope, driver or dog handler
  vehicle_id INTEGER, -- vehicle this member rode in, empty if on foot or flown
  dog_id INTEGER, -- dog this member worked with
  hours_served REAL,
  PRIMARY KEY (mission_id, volunteer_id),
  FOREIGN KEY (mission_id) REFERENCES missions(mission_id),
  FOREIGN KEY (volunteer_id) REFERENCES volunteers(volunteer_id),
  FOREIGN KEY (vehicle_id) REFERENCES vehicles(vehicle_id),
  FOREIGN KEY (dog_id) REFERENCES dogs(dog_id)
);

CREATE TABLE casualties (
  casualty_id INTEGER PRIMARY KEY,
  mission_id INTEGER NOT NULL REFERENCES missions(mission_id),
  age INTEGER,
  home_country TEXT,
  naca_score INTEGER, -- severity, 0 uninjured to 7 dead
  injury TEXT,
  evacuation TEXT, -- helicopter, stretcher, sled or walked out
  handed_over_to TEXT -- receiving hospital
);

CREATE TABLE equipment (
  item_id INTEGER PRIMARY KEY,
  station_id INTEGER NOT NULL REFERENCES stations(station_id), -- owner
  vehicle_id INTEGER REFERENCES vehicles(vehicle_id), -- where it is stowed, empty if in the station store
  item_name TEXT NOT NULL,
  category TEXT, -- rope, medical, snow, transport or search
  serial_number TEXT,
  discard_after DATE, -- last day of permitted use
  item_status TEXT NOT NULL -- in service, under repair or discarded
);
