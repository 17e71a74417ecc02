-- The pictures of a merchant, encoded again by this service. The hash is the SHA-256 of `bytes` and a part of the picture's
-- address, so that what an address shows never changes. Retention deletes a picture that no field for pictures names.
CREATE TABLE images (
  merchant_id int NOT NULL REFERENCES accounts (id),
  hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  content_type text NOT NULL CHECK (content_type IN ('image/png', 'image/webp')),
  width int NOT NULL CHECK (width > 0),
  height int NOT NULL CHECK (height > 0),
  bytes bytea NOT NULL,
  uploaded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, hash)
);
-- Pictures are compressed already.
ALTER TABLE images ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX images_uploaded ON images (uploaded_at);
