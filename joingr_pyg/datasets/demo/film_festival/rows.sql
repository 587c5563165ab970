INSERT INTO person (person_id, full_name, birth_year, nationality, email) VALUES
  (1, 'Ilse Varnhoff', 1961, 'German', 'ilse.varnhoff@example.org'),
  (2, 'Tomas Okuneva', 1984, 'Lithuanian', 'tomas.okuneva@example.org'),
  (3, 'Mirela Dosantic', 1990, 'Croatian', 'mirela.dosantic@example.org'),
  (4, 'Anouk Tessaire', 1975, 'French', NULL),
  (5, 'Joao Beltrame', 1988, 'Brazilian', 'joao.beltrame@example.org'),
  (6, 'Petra Holmgaard', 1968, 'Danish', 'petra.holmgaard@example.org'),
  (7, 'Samir Kadouri', 1957, 'Moroccan', NULL),
  (8, 'Yuki Narabe', 1993, 'Japanese', 'yuki.narabe@example.org');

INSERT INTO sponsor (sponsor_id, sponsor_name, tier, contribution_eur, contact_email) VALUES
  (1, 'Alderbrook Bank', 'main', 40000, 'culture.alderbrook@example.org'),
  (2, 'Nordquell Mineral Water', 'partner', 8000, 'events.nordquell@example.org'),
  (3, 'Kranichfeld Post-production', 'partner', 15000, 'office.kranichfeld@example.org'),
  (4, 'Harbour Tramways', 'supporter', 5000, NULL);

INSERT INTO section (section_id, section_name, is_competitive, programmer_id) VALUES
  (1, 'International Competition', 1, 6),
  (2, 'First Features', 1, 3),
  (3, 'Midnight Screen', 1, 3),
  (4, 'Rediscovered Classics', 0, 6);

INSERT INTO film (film_id, title, english_title, production_country, spoken_language, release_year, runtime_min, premiere_status, section_id) VALUES
  (1, 'Das stille Wehr', 'The Silent Weir', 'Germany', 'German', 2023, 112, 'world', 1),
  (2, 'Druskos kelias', 'Salt Road', 'Lithuania', 'Lithuanian', 2023, 97, 'international', 2),
  (3, 'Tinta', 'Ink', 'Brazil', 'Portuguese', 2022, 134, 'national', 1),
  (4, 'La Derniere Serre', 'The Last Greenhouse', 'France', 'French', 2023, 88, 'world', 1),
  (5, 'Yoru no densha', 'Night Train Home', 'Japan', 'Japanese', 2023, 81, 'world', 2),
  (6, 'Zub vremena', 'Tooth of Time', 'Croatia', 'Croatian', 2022, 103, 'international', 3),
  (7, 'Al-Madina al-Bayda', 'The White City', 'Morocco', 'Arabic', 1989, 125, NULL, 4),
  (8, 'Moth Hour', 'Moth Hour', 'Denmark', 'English', 2023, 74, 'world', 3);

INSERT INTO credit_role (role_code, role_name, department) VALUES
  ('DIR', 'Director', 'Direction'),
  ('WRI', 'Screenwriter', 'Script'),
  ('DOP', 'Cinematographer', 'Camera'),
  ('ACT', 'Actor', 'Cast'),
  ('COM', 'Composer', 'Music');

INSERT INTO credit (film_id, person_id, role_code, billing_order) VALUES
  (1, 1, 'DIR', 1),
  (1, 4, 'ACT', 2),
  (2, 2, 'DIR', 1),
  (2, 2, 'WRI', 2),
  (3, 5, 'DOP', 3),
  (4, 4, 'DIR', 1),
  (5, 8, 'DIR', 1),
  (7, 7, 'DIR', 1);

INSERT INTO venue (venue_id, venue_name, district, seat_count, has_step_free_access, is_open_air) VALUES
  (1, 'Palast Grand Hall', 'Old Town', 480, 1, 0),
  (2, 'Studio Lumen', 'Harbour', 120, 0, 0),
  (3, 'Atelier Theatre', 'University', 210, 1, 0),
  (4, 'Castle Courtyard', 'Old Town', 350, 1, 1),
  (5, 'Filmhouse Basement', 'Harbour', 60, 0, 0);

INSERT INTO screening (screening_id, film_id, venue_id, starts_at, has_discussion) VALUES
  (1, 1, 1, '2024-05-10 19:30:00', 1),
  (2, 1, 2, '2024-05-12 14:00:00', 0),
  (3, 2, 2, '2024-05-11 18:00:00', 1),
  (4, 3, 1, '2024-05-11 21:00:00', 0),
  (5, 4, 3, '2024-05-12 20:00:00', 1),
  (6, 5, 3, '2024-05-13 17:30:00', 0),
  (7, 6, 2, '2024-05-11 23:45:00', 0),
  (8, 7, 4, '2024-05-13 21:30:00', 0);

INSERT INTO ticket (ticket_id, screening_id, fare, price_eur, sold_at, was_scanned) VALUES
  (1, 1, 'full', 14, '2024-05-02 10:12:00', 1),
  (2, 1, 'reduced', 9, '2024-05-02 11:40:00', 1),
  (3, 2, 'full', 11, '2024-05-05 16:03:00', 0),
  (4, 3, 'press', 0, '2024-05-06 09:00:00', 1),
  (5, 3, 'full', 11, '2024-05-06 18:21:00', 1),
  (6, 5, 'full', 12, '2024-05-08 12:30:00', 1),
  (7, 7, 'reduced', 8, '2024-05-11 22:58:00', 0),
  (8, 8, 'full', 10, '2024-05-11 13:15:00', 1);

INSERT INTO jury_member (section_id, person_id, is_president) VALUES
  (1, 7, 1),
  (1, 3, 0),
  (1, 2, 0),
  (2, 4, 1),
  (2, 8, 0),
  (3, 5, 0);

INSERT INTO award (award_id, award_name, section_id, sponsor_id, prize_eur, winning_film_id) VALUES
  (1, 'Golden Heron', 1, 1, 20000, 1),
  (2, 'Silver Heron', 1, 3, 5000, 3),
  (3, 'First Feature Prize', 2, 2, 7500, 5),
  (4, 'Audience Award', NULL, NULL, 0, 4),
  (5, 'Midnight Owl', 3, 3, 1000, NULL);
