import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type ActorName, type AuditLogEntry } from './audit.model';
import { type AuditRecord } from './audit.schemas';

export function presentEntry(entry: AuditLogEntry, actors: readonly ActorName[]): z.output<typeof AuditRecord> {
  return {
    id: entry.sequence,
    actor_account_id: entry.actorAccountId,
    actor_name: actors.find(({ id }) => id === entry.actorAccountId)?.name ?? null,
    acted_by: entry.actedBy,
    acted_by_name: actors.find(({ uuid }) => uuid === entry.actedBy)?.name ?? null,
    action: entry.action,
    object_type: entry.objectType,
    object_id: entry.objectId,
    request_id: entry.requestId,
    address: entry.address,
    created_at: unixSeconds(entry.createdAt),
    previous_hash: entry.previousHash.toString('hex'),
    hash: entry.hash.toString('hex'),
  };
}
