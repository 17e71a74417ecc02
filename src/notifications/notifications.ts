import { randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { signChannelToken } from '../adapters/jwt';
import { statement } from '../adapters/postgres/statement';
import { baseUrl } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { type TraceParent } from '../kit/tracing';
import { unixSeconds } from '../kit/time';
import { getRestrictions } from '../restrictions/restrictions';
import { type EventMessage, webhookOnlyTypes } from './events';
import { type HistoryQuery } from './notifications.schemas';

/**
 * The types that existing clients of the channel know. Some clients stop at an unknown type, so the channel carries no
 * others.
 */
const clientTypes: ReadonlySet<string> = new Set([
  ...['payment.card.success', 'payment.card.failed', 'payment.card.requires.action'],
  ...['payment.ideal.success', 'payment.ideal.failed', 'payment.ideal.requires.action'],
  ...['subscribe.success', 'subscribe.failed', 'subscribe.requires.action'],
  ...['ideal.subscribe.success', 'ideal.subscribe.failed'],
  ...['subscribe.cancelled.success', 'subscribe.expired'],
  ...['external.payment.success', 'external.payment.failed'],
  ...['external.subscribe.success', 'external.subscribe.cancel.success'],
  ...['access.granted', 'access.revoked'],
  ...['account.logout', 'account.erased', 'account.deactivated'],
]);

/** Clients use the keys for half an hour before they request new ones. */
const channelTokenSeconds = 3600;

/** The reader of events. A merchant reads the events of all its customers, and a consumer its own. */
export interface Audience {
  merchantId: number;
  accountId?: number;
}

/** A message and its account. */
export interface AddressedMessage {
  accountId: number;
  /** Set if the message is for one session of the account. */
  sessionId?: string;
  message: EventMessage;
  /** The trace of the change that the event reports. */
  traceparent?: TraceParent | null;
}

interface EventRow {
  sequence: number;
  account_id: number;
  type: string;
  resource: Record<string, unknown>;
  happened_at: Date;
  merchant_uuid: string;
  account_uuid: string;
  session_id: string | null;
  /** For granted access: whether it still opens its item. */
  is_running: boolean | null;
  traceparent: TraceParent | null;
}

const readStatement = statement<EventRow>(
  'events_read',
  `SELECT e.sequence, e.account_id, e.type, e.resource, e.traceparent,
     coalesce(e.happened_at, e.created_at) AS happened_at, a.merchant_uuid, a.uuid AS account_uuid,
     CASE e.type WHEN 'account.logout' THEN e.resource->>'session_id' END AS session_id,
     CASE e.type WHEN 'access.granted' THEN EXISTS (
       SELECT FROM accesses x WHERE x.id = (e.resource->>'id')::int AND x.merchant_id = e.merchant_id
         AND x.revoked_at IS NULL AND x.expires_at > merchant_now(x.merchant_id)) END AS is_running
   FROM events e JOIN accounts a ON a.id = e.account_id
   WHERE e.merchant_id = $1 AND ($2::int IS NULL OR e.account_id = $2) AND e.sequence > $3 AND e.type <> ALL($5::text[])
   ORDER BY e.sequence LIMIT $4`,
);
const readAtStatement = statement<Omit<EventRow, 'session_id' | 'is_running' | 'traceparent'>>(
  'events_read_at',
  `SELECT e.sequence, e.account_id, e.type, e.resource,
     coalesce(e.happened_at, e.created_at) AS happened_at, a.merchant_uuid, a.uuid AS account_uuid
   FROM events e JOIN accounts a ON a.id = e.account_id
   WHERE e.merchant_id = $1 AND e.sequence = ANY($2::bigint[])`,
);
const lastStatement = statement<{ merchant_id: number; last_sequence: number }>(
  'channels_last',
  'SELECT merchant_id, last_sequence FROM channels WHERE merchant_id = ANY($1)',
);

export function audienceOf(caller: Caller): Audience {
  return caller.role === 'merchant'
    ? { merchantId: caller.merchantId }
    : { merchantId: caller.merchantId, accountId: caller.accountId };
}

/**
 * Reads the events after a sequence number, in order, at most `limit`. An item's content is included only while its
 * access is open. It is not included if a restriction must be checked first, because the access check does that.
 */
export async function readEvents(audience: Audience, after: number, limit: number): Promise<AddressedMessage[]> {
  const { merchantId } = audience;
  const rows = await readStatement([merchantId, audience.accountId ?? null, after, limit, webhookOnlyTypes]);
  const messages: AddressedMessage[] = [];
  for (const row of rows) {
    const isClosed =
      row.type === 'access.granted' && !(row.is_running === true && (await isUnguarded(merchantId, row)));
    const message = presentEvent(row);
    messages.push({
      accountId: row.account_id,
      traceparent: row.traceparent,
      ...(row.session_id !== null && { sessionId: row.session_id }),
      message: isClosed ? withoutContent(message) : message,
    });
  }
  return messages;
}

/** Reads the events with these sequence numbers for external receivers, without item content. */
export async function readEventsAt(merchantId: number, places: number[]): Promise<AddressedMessage[]> {
  const rows = await readAtStatement([merchantId, places]);
  return rows.map((row) => ({ accountId: row.account_id, message: withoutContent(presentEvent(row)) }));
}

/** Whether no restriction by domain, country, age or pin applies to the item. Reads only the cache. */
async function isUnguarded(merchantId: number, { resource }: EventRow): Promise<boolean> {
  const { rules, asksPin } = await getRestrictions(merchantId, Number((resource['item'] as { id?: unknown })?.id));
  return !asksPin && (!rules || (rules.minAge === undefined && !rules.domains && rules.geo.length === 0));
}

/** A follower without the right to read items receives access events without the items' content. */
export function mayReadContent({ role, scopes }: Pick<Caller, 'role' | 'scopes'>): boolean {
  return role === 'consumer' || scopes.includes('items:read');
}

/** The message with an empty content of its item. */
export function withoutContent<Message extends { type: string; resource: object }>(message: Message): Message {
  const { item } = message.resource as { item?: object };
  if (message.type !== 'access.granted' || item === undefined) return message;
  return { ...message, resource: { ...message.resource, item: { ...item, content: '' } } };
}

/** The sequence number of each merchant's newest event. */
export async function lastPlaces(merchantIds: number[]): Promise<Map<number, number>> {
  const rows = await lastStatement([merchantIds]);
  return new Map(rows.map((row) => [row.merchant_id, row.last_sequence]));
}

/** A message in the form of existing channel clients. Undefined for a type that they do not know. */
export function presentForClient(message: { type: string; resource: object }): object | undefined {
  if (!clientTypes.has(message.type)) return undefined;
  const { resource, ...others } = message;
  return Object.keys(resource).length > 0 ? message : others;
}

/**
 * The connection data for apps that use MQTT or can only open a URL. Such apps expect the keys of another service: only
 * `sessionToken` has an effect. The URL is that of the plain WebSocket.
 */
export function createChannelKeys(caller: Caller) {
  const exp = unixSeconds(new Date()) + channelTokenSeconds;
  const sessionToken = signChannelToken({ sub: caller.accountUuid, sid: caller.sessionId, exp });
  const address = new URL(baseUrl);
  const query = new URLSearchParams({ merchant_uuid: caller.merchantUuid, token: sessionToken });
  return {
    accessKey: `PAYWALL${randomBytes(10).toString('hex').toUpperCase()}`,
    secretKey: randomBytes(30).toString('base64'),
    sessionToken,
    region: 'eu-west-1' as const,
    iotEndpoint: address.host,
    url: `${address.protocol.replace('http', 'ws')}//${address.host}/notifications?${query.toString()}`,
  };
}

/** The history of the channel for clients without a socket. */
export async function listEvents(caller: Caller, query: z.output<typeof HistoryQuery>) {
  const audience = audienceOf(caller);
  const events = await readEvents(audience, query.after ?? 0, query.limit ?? 100);
  const isForCaller = ({ sessionId }: AddressedMessage) =>
    audience.accountId === undefined || sessionId === undefined || sessionId === caller.sessionId;
  const messages = events.filter(isForCaller).map(({ message }) => message);
  return { collection: mayReadContent(caller) ? messages : messages.map(withoutContent) };
}

function presentEvent(row: Omit<EventRow, 'session_id' | 'is_running' | 'traceparent'>): EventMessage {
  return {
    id: row.sequence,
    type: row.type,
    timestamp: unixSeconds(row.happened_at),
    merchant_uuid: row.merchant_uuid,
    account_uuid: row.account_uuid,
    resource: row.resource,
  };
}
