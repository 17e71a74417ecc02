import pg from 'pg';
import { hashPassword, verifyPassword } from '../src/adapters/passwords';
import { Loader } from './load';
import { type Product } from './parts';
import { type Line, median } from './table';

const samples = 2_000;
const rounds = 3;
const secondsPerRound = 5;
const connections = 16;
const password = 'correct-horse-battery';

interface Setting {
  product: Pick<Product, 'apiPort' | 'databaseUrl'>;
  tell: (what: string) => void;
}

/**
 * Measures whether the time of a sign-in reveals that an account exists, and its cost compared with the unavoidable
 * hash.
 */
export async function compareSignIns({ product, tell }: Setting): Promise<Line[]> {
  const merchantUuid = await seedAccounts(product);
  const request = requestTo(product, merchantUuid);
  tell(`${samples} wrong sign-ins each of known and unknown accounts`);
  const times = await timeWrongSignIns(product, merchantUuid);
  tell(`${rounds} rounds of ${secondsPerRound} s of sign-ins, and of argon2 alone`);
  const requests = Array.from({ length: samples }, (_, index) => request(emailOf('known', index)));
  const found = { signIns: [] as number[], hashes: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    found.signIns.push(await signInsPerSecond(product.apiPort, requests));
    found.hashes.push(await hashesPerSecond());
  }
  const [unknown, known] = [median(times.unknown), median(times.known)];
  return [
    { what: 'Wrong sign-in, unknown account beside a known one', unit: 'ms', product: unknown, bare: known },
    { what: 'The difference', unit: 'ms', product: Math.abs(unknown - known), aim: { atMost: 1 } },
    {
      what: `Sign-ins, ${connections} connections, beside argon2 alone on one core`,
      unit: '/s',
      product: median(found.signIns),
      bare: median(found.hashes),
    },
  ];
}

const emailOf = (kind: 'known' | 'unknown', index: number) => `${kind}-${index}@example.org`;

/** Creates a merchant with accounts that share one hash. Each account fails once, so that none is throttled. */
async function seedAccounts({ apiPort, databaseUrl }: Setting['product']): Promise<string> {
  const fields = {
    ...{ type: 'merchant', client_id: 'platform', full_name: 'Sign-in bench', username: `m-${Date.now()}@example.org` },
    ...{ password, password_confirmation: password },
  };
  const answer = await fetch(`http://127.0.0.1:${apiPort}/accounts`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  const { account } = (await answer.json()) as { account: { id: number; uuid: string } };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), $1, $2, 'consumer', email, email, 'Ana Petrova', $3
     FROM (SELECT 'known-' || n || '@example.org' AS email FROM generate_series(0, $4 - 1) AS n) AS emails`,
    [account.id, account.uuid, await hashPassword(password), samples],
  );
  await client.query('ANALYZE accounts');
  await client.end();
  return account.uuid;
}

/** In turns, so that other load on the machine affects both. */
async function timeWrongSignIns({ apiPort }: Setting['product'], merchantUuid: string) {
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let index = 0; index < samples; index += 1)
    for (const kind of index % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      const fields = {
        grant_type: 'password',
        client_id: merchantUuid,
        username: emailOf(kind, index),
        password: 'wrong-one',
      };
      const began = performance.now();
      const { status } = await fetch(`http://127.0.0.1:${apiPort}/accounts/authenticate`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      });
      times[kind].push(performance.now() - began);
      if (status !== 401) throw new Error(`A wrong sign-in answered ${status}`);
    }
  return times;
}

function requestTo({ apiPort }: Setting['product'], merchantUuid: string) {
  return (username: string) => {
    const body = new URLSearchParams({
      grant_type: 'password',
      client_id: merchantUuid,
      username,
      password,
    }).toString();
    return (
      `POST /accounts/authenticate HTTP/1.1\r\nHost: 127.0.0.1:${apiPort}\r\nContent-Length: ${body.length}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\n\r\n${body}`
    );
  };
}

async function signInsPerSecond(port: number, requests: string[]): Promise<number> {
  const loader = new Loader({ port, connections, requests });
  const { answers, seconds } = await loader.run({ seconds: secondsPerRound });
  loader.stop();
  return answers / seconds;
}

/** The hash check alone, one after the other: the maximum of one core. */
async function hashesPerSecond(): Promise<number> {
  const passwordHash = await hashPassword(password);
  const began = performance.now();
  let count = 0;
  for (; performance.now() - began < secondsPerRound * 1000; count += 1) await verifyPassword(passwordHash, password);
  return (count * 1000) / (performance.now() - began);
}
