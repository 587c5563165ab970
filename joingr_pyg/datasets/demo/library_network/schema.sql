CREATE TABLE branch (
    branch_id INTEGER PRIMARY KEY,
    branch_name TEXT NOT NULL,
    district TEXT NOT NULL, -- city district the branch serves
    street_address TEXT NOT NULL,
    is_step_free BOOLEAN NOT NULL, -- 1 if every public floor can be reached without stairs
    opened_year INTEGER
);

CREATE TABLE author (
    author_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    birth_year INTEGER,
    home_country TEXT
);

CREATE TABLE catalog_title (
    title_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    publisher TEXT,
    publication_year INTEGER,
    language_code TEXT NOT NULL, -- ISO 639-1: en, fr, no
    format_code TEXT NOT NULL, -- BK printed book, LP large print, AB audiobook, DV film on disc
    subject TEXT, -- crime fiction, local history, picture book
    target_age TEXT
);

CREATE TABLE title_author (
    title_id INTEGER NOT NULL REFERENCES catalog_title(title_id),
    author_id INTEGER NOT NULL REFERENCES author(author_id),
    contribution TEXT NOT NULL, -- writer, illustrator, translator or narrator
    PRIMARY KEY (title_id, author_id)
);

CREATE TABLE item_copy (
    barcode TEXT PRIMARY KEY,
    title_id INTEGER NOT NULL REFERENCES catalog_title(title_id),
    home_branch_id INTEGER NOT NULL REFERENCES branch(branch_id), -- branch that owns and shelves it
    acquired_on DATE,
    purchase_price NUMERIC,
    shelf_status TEXT NOT NULL, -- available, on loan, reserved, in transit, missing
    condition_grade TEXT
);

CREATE TABLE patron (
    patron_id INTEGER PRIMARY KEY,
    card_number TEXT NOT NULL UNIQUE,
    full_name TEXT NOT NULL,
    birth_date DATE,
    email TEXT,
    patron_category TEXT NOT NULL, -- adult, child, senior, homebound
    home_branch_id INTEGER NOT NULL REFERENCES branch(branch_id), -- where the card was issued
    joined_on DATE NOT NULL,
    card_expires_on DATE
);

CREATE TABLE loan (
    loan_id INTEGER PRIMARY KEY,
    barcode TEXT NOT NULL REFERENCES item_copy(barcode),
    patron_id INTEGER NOT NULL REFERENCES patron(patron_id),
    issuing_branch_id INTEGER NOT NULL REFERENCES branch(branch_id), -- desk where it was checked out
    checked_out_on DATE NOT NULL,
    due_on DATE NOT NULL,
    returned_on DATE, -- empty while still out
    renewal_count INTEGER NOT NULL
);

CREATE TABLE hold (
    hold_id INTEGER PRIMARY KEY,
    title_id INTEGER NOT NULL REFERENCES catalog_title(title_id),
    patron_id INTEGER NOT NULL REFERENCES patron(patron_id),
    pickup_branch_id INTEGER NOT NULL REFERENCES branch(branch_id),
    hold_status TEXT NOT NULL, -- waiting, ready, collected, cancelled
    placed_at TIMESTAMP NOT NULL
);

CREATE TABLE fine (
    fine_id INTEGER PRIMARY KEY,
    loan_id INTEGER NOT NULL REFERENCES loan(loan_id),
    reason TEXT NOT NULL, -- late, damage or lost
    amount NUMERIC NOT NULL, -- in euros
    settled_on DATE, -- empty until paid
    assessed_on DATE NOT NULL
);

CREATE TABLE event (
    event_id INTEGER PRIMARY KEY,
    branch_id INTEGER NOT NULL REFERENCES branch(branch_id),
    event_name TEXT NOT NULL,
    guest_author_id INTEGER REFERENCES author(author_id), -- invited speaker, if any
    starts_at TIMESTAMP NOT NULL,
    audience TEXT NOT NULL, -- children, teens, adults, everyone
    seat_limit INTEGER
);

CREATE TABLE branch_transfer (
    transfer_id INTEGER PRIMARY KEY,
    barcode TEXT NOT NULL REFERENCES item_copy(barcode),
    from_branch_id INTEGER NOT NULL REFERENCES branch(branch_id), -- sending branch
    to_branch_id INTEGER NOT NULL REFERENCES branch(branch_id),
    dispatched_on DATE NOT NULL,
    transfer_reason TEXT, -- request, return or rotation
    received_on DATE
);
