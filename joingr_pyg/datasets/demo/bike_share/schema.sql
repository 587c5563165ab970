CREATE TABLE stations (
    station_id INTEGER PRIMARY KEY,
    station_name TEXT NOT NULL,
    neighbourhood TEXT NOT NULL,
    elevation_m INTEGER, -- metres above sea level
    opened_on DATE NOT NULL,
    closed_on DATE, -- empty while in service
    is_solar_powered BOOLEAN NOT NULL
);

CREATE TABLE docks (
    dock_id INTEGER PRIMARY KEY,
    station_id INTEGER NOT NULL REFERENCES stations(station_id),
    slot_number INTEGER NOT NULL, -- position in the rack, from the left
    is_operational BOOLEAN NOT NULL, -- 0 when the lock is defective
    has_charger BOOLEAN NOT NULL
);

CREATE TABLE bike_models (
    model_code TEXT PRIMARY KEY,
    model_name TEXT NOT NULL,
    drive_code TEXT NOT NULL, -- PED pedals only, EAS electric assist
    frame_code TEXT NOT NULL, -- STD ordinary, CGO with load box
    weight_kg REAL, -- with battery, if it has one
    battery_wh INTEGER
);

CREATE TABLE bikes (
    bike_id INTEGER PRIMARY KEY,
    model_code TEXT NOT NULL REFERENCES bike_models(model_code),
    frame_number TEXT NOT NULL UNIQUE, -- stamped under the saddle
    fleet_status TEXT NOT NULL, -- active, workshop, lost, retired
    parked_dock_id INTEGER REFERENCES docks(dock_id), -- empty while ridden or away
    commissioned_on DATE NOT NULL
);

CREATE TABLE riders (
    rider_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    email TEXT NOT NULL,
    birth_year INTEGER,
    postcode TEXT,
    signed_up_on DATE NOT NULL
);

CREATE TABLE plans (
    plan_code TEXT PRIMARY KEY,
    plan_name TEXT NOT NULL,
    monthly_fee NUMERIC NOT NULL,
    per_minute_rate NUMERIC NOT NULL, -- charged after the free minutes
    included_minutes INTEGER NOT NULL
);

CREATE TABLE subscriptions (
    rider_id INTEGER NOT NULL REFERENCES riders(rider_id),
    plan_code TEXT NOT NULL REFERENCES plans(plan_code),
    valid_from DATE NOT NULL,
    valid_until DATE, -- empty if open-ended
    auto_renews BOOLEAN NOT NULL, -- 1 if charged again at the end of the month
    PRIMARY KEY (rider_id, plan_code, valid_from)
);

CREATE TABLE trips (
    trip_id INTEGER PRIMARY KEY,
    rider_id INTEGER NOT NULL REFERENCES riders(rider_id),
    bike_id INTEGER NOT NULL REFERENCES bikes(bike_id),
    start_dock_id INTEGER NOT NULL REFERENCES docks(dock_id),
    end_dock_id INTEGER REFERENCES docks(dock_id), -- empty if never brought back
    started_at TIMESTAMP NOT NULL,
    ended_at TIMESTAMP,
    distance_km REAL, -- measured by the on-board tracker
    fare_charged NUMERIC
);

CREATE TABLE maintenance_jobs (
    job_id INTEGER PRIMARY KEY,
    bike_id INTEGER NOT NULL REFERENCES bikes(bike_id),
    reported_by_rider_id INTEGER REFERENCES riders(rider_id), -- empty if found at inspection
    fault_category TEXT NOT NULL, -- puncture, brakes, gears, lights, battery
    opened_on DATE NOT NULL,
    closed_on DATE, -- empty while the repair is open
    mechanic_name TEXT,
    parts_cost NUMERIC
);

CREATE TABLE vans (
    van_id INTEGER PRIMARY KEY,
    licence_plate TEXT NOT NULL UNIQUE,
    nickname TEXT, -- name painted on the side
    bike_capacity INTEGER NOT NULL
);

CREATE TABLE rebalancing_moves (
    van_id INTEGER NOT NULL REFERENCES vans(van_id),
    bike_id INTEGER NOT NULL REFERENCES bikes(bike_id),
    moved_at TIMESTAMP NOT NULL, -- time of unloading
    from_station_id INTEGER NOT NULL REFERENCES stations(station_id),
    to_station_id INTEGER NOT NULL REFERENCES stations(station_id),
    driver_name TEXT,
    PRIMARY KEY (van_id, bike_id, moved_at)
);
