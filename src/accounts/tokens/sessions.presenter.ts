import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type SessionResponse } from './sessions.schemas';
import { type Session } from './tokens.model';

export function presentSession(session: Session, currentId: string): z.output<typeof SessionResponse> {
  const { deviceType: type, deviceOs: os, deviceModel: model, country, city } = session;
  return {
    id: session.id,
    client_id: session.clientId,
    device: { type, os, model },
    place: { country, city },
    is_current: session.id === currentId,
    is_acted: session.actorUuid !== null,
    created_at: unixSeconds(session.createdAt),
    last_used_at: unixSeconds(session.lastUsedAt),
    expires_at: unixSeconds(session.expiresAt),
  };
}
