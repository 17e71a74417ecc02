import * as erasures from '../src/accounts/privacy/erasures/service';
import { mailExport } from '../src/accounts/privacy/exports/service';
import { alive } from './pulse';

export const accountDataActivities = {
  mailExport: alive(mailExport),
  endSubscriptions: alive(erasures.endSubscriptions),
  giveBackCharges: alive(erasures.giveBackCharges),
  revokeAccesses: alive(erasures.revokeAccesses),
  forgetCards: alive(erasures.forgetCards),
  leaveChats: alive(erasures.leaveChats),
  wipeAccount: alive(erasures.wipeAccount),
  destroyKey: alive(erasures.destroyKey),
};
