import { type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';

export interface StoredImage {
  contentType: string;
  bytes: Buffer;
}

const readStatement = statement<StoredImage>(
  'images_read',
  `SELECT i.content_type AS "contentType", i.bytes FROM images i JOIN accounts a ON a.id = i.merchant_id
   WHERE a.uuid = $1 AND i.hash = $2`,
);

/** `width` and `height` in pixels. */
interface NewImage extends StoredImage {
  width: number;
  height: number;
}

export async function findImage(merchantUuid: string, hash: string): Promise<StoredImage | undefined> {
  const [image] = await readStatement([merchantUuid, hash]);
  return image;
}

/** Counts the merchant's images. The lock makes uploads of one merchant wait for each other, so that the count stays true. */
export async function countImages(inTransaction: Transaction, merchantId: number, hash: string) {
  await execute(inTransaction, `SELECT pg_advisory_xact_lock(hashtext('images'), $1)`, [merchantId]);
  const [counts] = await execute<{ others: number; isKnown: boolean }>(
    inTransaction,
    `SELECT count(*) FILTER (WHERE hash <> $2)::int AS others, coalesce(bool_or(hash = $2), false) AS "isKnown"
     FROM images WHERE merchant_id = $1`,
    [merchantId, hash],
  );
  return counts ?? { others: 0, isKnown: false };
}

/** An image that the merchant has already is kept as long as a new one. */
export async function insertImage(inTransaction: Transaction, merchantId: number, hash: string, image: NewImage) {
  const { contentType, width, height, bytes } = image;
  await execute(
    inTransaction,
    `INSERT INTO images (merchant_id, hash, content_type, width, height, bytes) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (merchant_id, hash) DO UPDATE SET uploaded_at = now()`,
    [merchantId, hash, contentType, width, height, bytes],
  );
}

const keepStatement = statement(
  'images_keep',
  `UPDATE images i SET uploaded_at = now() FROM (
     SELECT merchant_id, hash FROM images WHERE merchant_id = $1 AND hash = ANY ($2::text[]) ORDER BY hash FOR UPDATE
   ) named WHERE i.merchant_id = named.merchant_id AND i.hash = named.hash`,
);

/**
 * Keeps the merchant's images at these URLs as long as new ones, in the transaction that saves the URLs. Until its commit
 * retention does not see the URLs, and would delete an image that nothing else names.
 */
export async function keepImages(
  inTransaction: Transaction,
  merchantId: number,
  urls: readonly (string | null | undefined)[],
): Promise<void> {
  const hashes = urls.flatMap((url) => /\/images\/.*([0-9a-f]{64})$/.exec(url ?? '')?.[1] ?? []);
  if (hashes.length > 0) await keepStatement([merchantId, hashes], inTransaction);
}
