INSERT INTO telescope (telescope_id, telescope_name, aperture_m, mount_type, first_light_year) VALUES
  (1, 'Merla Telescope', 2.2, 'alt-azimuth', 1999),
  (2, 'Aldous Reflector', 1.0, 'equatorial', 1978),
  (3, 'Kestrel Survey Telescope', 0.6, 'equatorial', 2014);

INSERT INTO instrument (instrument_id, telescope_id, instrument_name, instrument_kind, pixel_scale_arcsec, is_offered) VALUES
  (1, 1, 'Quill', 'spectrograph', 0.25, 1),
  (2, 1, 'Lantern', 'imager', 0.21, 1),
  (3, 2, 'Ember', 'imager', 0.55, 0),
  (4, 2, 'Tern', 'imager', 0.40, 1),
  (5, 3, 'Gull', 'wide-field imager', 1.10, 1);

INSERT INTO optical_filter (filter_code, filter_name, central_wavelength_nm, bandwidth_nm) VALUES
  ('B', 'Blue', 445, 94),
  ('V', 'Visual', 551, 88),
  ('R', 'Red', 658, 138),
  ('I', 'Near infrared', 806, 149),
  ('HA', 'Hydrogen-alpha', 656.3, 7);

INSERT INTO investigator (investigator_id, full_name, institute, country, email) VALUES
  (1, 'Oriane Delmotier', 'Vallon Institute of Astrophysics', 'France', 'oriane.delmotier@example.org'),
  (2, 'Kwabena Asiedu-Forte', 'Coastal University of Science', 'Ghana', 'kwabena.forte@example.org'),
  (3, 'Lidia Morawska-Hein', 'Baltic Space Centre', 'Poland', 'lidia.hein@example.org'),
  (4, 'Haruto Senzumi', 'Kitamori Observatory', 'Japan', 'haruto.senzumi@example.org'),
  (5, 'Ines Barrancal', 'Southern Sky Institute', 'Chile', 'ines.barrancal@example.org'),
  (6, 'Noah Wendelin', 'Baltic Space Centre', 'Poland', NULL);

INSERT INTO proposal (proposal_id, proposal_code, title, semester, science_category, committee_grade, hours_requested, hours_awarded) VALUES
  (1, '24A-001', 'Dusty haloes of nearby spirals', '2024A', 'galaxies', 'A', 20, 18),
  (2, '24A-002', 'Transit timing of warm Neptunes', '2024A', 'exoplanets', 'B', 12, 8),
  (3, '24A-003', 'Novae in the Local Group', '2024A', 'transients', 'A', 16, 16),
  (4, '24A-004', 'Rotation of near-Earth asteroids', '2024A', 'solar system', 'B', 15, 4),
  (5, '24A-005', 'Magnetic white dwarfs', '2024A', 'stars', 'C', 10, 0),
  (6, '24A-006', 'Light curves of eclipsing binaries', '2024A', 'stars', 'B', 9, 6);

INSERT INTO proposal_investigator (proposal_id, investigator_id, is_principal) VALUES
  (1, 1, 1),
  (1, 2, 0),
  (2, 3, 1),
  (3, 5, 1),
  (3, 1, 0),
  (4, 4, 1),
  (5, 2, 1),
  (6, 3, 1);

INSERT INTO target (target_id, target_name, object_class, ra_deg, dec_deg, v_magnitude) VALUES
  (1, 'NGC 891', 'galaxy', 35.64, 42.35, 9.9),
  (2, 'NGC 4565', 'galaxy', 189.09, 25.99, 9.6),
  (3, 'GJ 3470', 'exoplanet host', 119.77, 15.39, 12.3),
  (4, 'M31 nova candidate 7', 'nova', 10.68, 41.27, 17.2),
  (5, '3908 Nyx', 'asteroid', NULL, NULL, 15.5),
  (6, 'Feige 34', 'standard star', 159.90, 43.10, 11.2),
  (7, 'NGC 5907', 'galaxy', 228.97, 56.33, 10.3);

INSERT INTO night_weather (night_date, humidity_pct, max_wind_ms, cloud_cover_pct, median_seeing_arcsec, moon_illumination_pct) VALUES
  ('2024-03-04', 35, 4, 0, 0.8, 40),
  ('2024-03-05', 78, 12, 70, 2.1, 30),
  ('2024-03-09', 42, 6, 10, 1.1, 2),
  ('2024-04-02', 55, 9, 20, 1.4, 45),
  ('2024-04-03', 92, 19, 100, NULL, 35);

INSERT INTO observing_run (run_id, proposal_id, instrument_id, night_date, observer_id, hours_allotted, hours_lost) VALUES
  (1, 1, 2, '2024-03-04', 1, 8, 0),
  (2, 1, 2, '2024-03-05', 2, 6, 5),
  (3, 2, 4, '2024-03-09', 6, 5, 0.5),
  (4, 3, 5, '2024-03-09', 5, 4, 0),
  (5, 4, 5, '2024-04-02', 4, 4, 1),
  (6, 3, 1, '2024-04-02', 5, 3, 0),
  (7, 3, 1, '2024-04-03', 1, 6, 6);

INSERT INTO exposure (exposure_id, run_id, target_id, filter_code, started_at, shutter_s, airmass, quality) VALUES
  (1, 1, 1, 'B', '2024-03-04 20:10:00', 600, 1.35, 'good'),
  (2, 1, 1, 'R', '2024-03-04 20:25:00', 300, 1.42, 'good'),
  (3, 1, 6, 'V', '2024-03-04 22:05:00', 20, 1.08, 'good'),
  (4, 2, 2, 'R', '2024-03-05 23:30:00', 600, 1.40, 'poor'),
  (5, 3, 3, 'V', '2024-03-09 22:00:00', 60, 1.12, 'good'),
  (6, 4, 4, 'HA', '2024-03-09 20:15:00', 900, 1.90, 'usable'),
  (7, 5, 5, 'R', '2024-04-02 23:00:00', 120, 1.50, 'good'),
  (8, 6, 4, NULL, '2024-04-02 20:00:00', 1800, 2.40, 'poor');

INSERT INTO calibration_frame (frame_id, instrument_id, night_date, frame_type, filter_code, shutter_s, file_name) VALUES
  (1, 2, '2024-03-04', 'flat', 'B', 5, 'lantern_flat_b_0304.fits'),
  (2, 2, '2024-03-04', 'flat', 'R', 4, 'lantern_flat_r_0304.fits'),
  (3, 2, '2024-03-04', 'bias', NULL, 0, 'lantern_bias_0304.fits'),
  (4, 4, '2024-03-09', 'flat', 'V', 6, 'tern_flat_v_0309.fits'),
  (5, 5, '2024-03-09', 'dark', NULL, 900, 'gull_dark_0309.fits'),
  (6, 5, '2024-04-02', 'flat', 'R', 3, 'gull_flat_r_0402.fits'),
  (7, 1, '2024-04-02', 'arc', NULL, 30, 'quill_arc_0402.fits');
