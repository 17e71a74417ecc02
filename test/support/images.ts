import sharp from 'sharp';
import { type Person } from './factories';
import { type ErrorBody, send } from './raw';
import { type TestApp } from './startApp';

/** Pictures for uploads, and the uploads. */

export interface Uploaded {
  url: string;
  content_type: string;
  width: number;
  height: number;
  bytes: number;
}

export type Coloured = { r: number; g: number; b: number };
export const red: Coloured = { r: 220, g: 20, b: 30 };
export const green: Coloured = { r: 10, g: 160, b: 60 };

/** A picture of one colour. */
export const plain = (width: number, height: number, background: Coloured = red) =>
  sharp({ create: { width, height, channels: 3, background } });

export const pngOf = (width = 40, height = 20, colour = red) => plain(width, height, colour).png().toBuffer();

export const coverPath = '/v2/images/covers';
export const logoPath = '/v2/images/brands?kind=logo';

type Caller = Pick<Person, 'token'>;

export function upload<Body = ErrorBody>(
  app: TestApp,
  person: Caller,
  path: string,
  body: Buffer,
  headers: Record<string, string> = {},
) {
  return send<Body>(app, 'POST', path, { body, contentType: 'application/octet-stream', token: person.token, headers });
}

export async function uploaded(app: TestApp, person: Caller, path: string, body: Buffer): Promise<Uploaded> {
  const reply = await upload<Uploaded>(app, person, path, body);
  if (reply.status !== 201) throw new Error(`answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** The bytes and headers at the address of an image. The address of the settings is replaced by that of the test. */
export async function download(app: TestApp, url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${app.address}${new URL(url).pathname}`, { headers, method });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The hashes of the merchant's images. */
export async function imagesOf(app: TestApp, merchant: Person): Promise<string[]> {
  const found = await app.pool.query<{ hash: string }>(
    'SELECT hash FROM images WHERE merchant_id = $1 ORDER BY uploaded_at',
    [merchant.id],
  );
  return found.rows.map(({ hash }) => hash);
}

/** Images that were uploaded more than a week ago. */
export async function makeOld(app: TestApp, merchant: Person): Promise<void> {
  await app.pool.query(`UPDATE images SET uploaded_at = now() - interval '8 days' WHERE merchant_id = $1`, [
    merchant.id,
  ]);
}
