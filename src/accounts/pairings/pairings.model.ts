import { type Transaction } from '../../adapters/postgres/connection';
import { statement, statementApart } from '../../adapters/postgres/statement';

export interface NewPairing {
  deviceCodeHash: Buffer;
  userCodeHash: Buffer;
  merchantId: number;
  clientId: string;
  deviceName: string;
  deviceType: string;
  deviceOs: string;
  country: string;
  city: string;
  lifetimeSeconds: number;
}

const createStatement = statement<{ created_at: Date }>(
  'pairing_create',
  `INSERT INTO device_pairings (device_code_hash, user_code_hash, merchant_id, client_id, device_name, device_type,
     device_os, country, city, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(secs => $10))
   ON CONFLICT (user_code_hash) DO NOTHING RETURNING created_at`,
);

/** False if another device has the same user code. */
export async function insertPairing(pairing: NewPairing): Promise<boolean> {
  const { deviceCodeHash, userCodeHash, merchantId, clientId, lifetimeSeconds } = pairing;
  const { deviceName, deviceType, deviceOs, country, city } = pairing;
  const device = [deviceName, deviceType, deviceOs, country, city];
  const values = [deviceCodeHash, userCodeHash, merchantId, clientId, ...device, lifetimeSeconds];
  return (await createStatement(values)).length > 0;
}

export interface Polled {
  state: 'waiting' | 'approved' | 'denied';
  account_id: number | null;
  is_alive: boolean;
  /** The device has polled less than `secondsBetween` ago. */
  is_early: boolean;
}

// Apart from the request's work: the request fails while the pairing waits, and the time of the poll stays.
const pollStatement = statementApart<Polled>(
  'pairing_poll',
  `WITH found AS (
     SELECT device_code_hash, state, account_id, expires_at > now() AS is_alive,
       coalesce(polled_at > now() - make_interval(secs => $3), false) AS is_early
     FROM device_pairings WHERE device_code_hash = $1 AND client_id = $2 FOR NO KEY UPDATE
   )
   UPDATE device_pairings p SET polled_at = now() FROM found f WHERE p.device_code_hash = f.device_code_hash
   RETURNING f.state, f.account_id, f.is_alive, f.is_early`,
);

export async function pollPairing(deviceCodeHash: Buffer, clientId: string, secondsBetween: number) {
  const [found] = await pollStatement([deviceCodeHash, clientId, secondsBetween]);
  return found;
}

const takeStatement = statement<{ factor_proven_at: Date | null }>(
  'pairing_take',
  `DELETE FROM device_pairings WHERE device_code_hash = $1 AND state = 'approved' AND expires_at > now()
   RETURNING factor_proven_at`,
);

/** Uses up the confirmation of a device. Of several polls at once, only one gets it. */
export async function takePairing(deviceCodeHash: Buffer) {
  const [taken] = await takeStatement([deviceCodeHash]);
  return taken;
}

export interface PairingRow {
  device_name: string;
  device_type: string;
  device_os: string;
  country: string;
  city: string;
  created_at: Date;
  expires_at: Date;
}

const findStatement = statement<PairingRow>(
  'pairing_of_code',
  `SELECT device_name, device_type, device_os, country, city, created_at, expires_at FROM device_pairings
   WHERE merchant_id = $1 AND user_code_hash = $2 AND state = 'waiting' AND expires_at > now()`,
);

export async function findPairing(merchantId: number, userCodeHash: Buffer): Promise<PairingRow | undefined> {
  const [found] = await findStatement([merchantId, userCodeHash]);
  return found;
}

const answerStatement = statement<{ state: string }>(
  'pairing_answer',
  `UPDATE device_pairings SET state = $4, account_id = $3,
     factor_proven_at = (SELECT factor_proven_at FROM sessions WHERE id = $5)
   WHERE merchant_id = $1 AND user_code_hash = $2 AND expires_at > now()
     AND (state = 'waiting' OR (state = $4 AND account_id = $3))
   RETURNING state`,
);

interface Answer {
  merchantId: number;
  accountId: number;
  sessionId: string;
  userCodeHash: Buffer;
  state: 'approved' | 'denied';
}

/** False if no device waits with this code. The same answer can be given twice. */
export async function answerPairing(
  { merchantId, accountId, sessionId, userCodeHash, state }: Answer,
  inTransaction: Transaction,
): Promise<boolean> {
  const values = [merchantId, userCodeHash, accountId, state, sessionId];
  return (await answerStatement(values, inTransaction)).length > 0;
}
