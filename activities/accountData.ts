import * as erasures from '../src/privacy/erasures';
import { mailExport } from '../src/privacy/exports';
import { withHeartbeat } from './heartbeat';

export const accountDataActivities = {
  mailExport: withHeartbeat(mailExport),
  endSubscriptions: withHeartbeat(erasures.endSubscriptions),
  giveBackCharges: withHeartbeat(erasures.giveBackCharges),
  revokeAccesses: withHeartbeat(erasures.revokeAccesses),
  forgetCards: withHeartbeat(erasures.forgetCards),
  leaveChats: withHeartbeat(erasures.leaveChats),
  wipeAccount: withHeartbeat(erasures.wipeAccount),
  destroyKey: withHeartbeat(erasures.destroyKey),
};
