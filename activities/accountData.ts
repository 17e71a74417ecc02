import { heartbeat } from '@temporalio/activity';
import * as erasures from '../src/accounts/privacy/erasures/service';
import { mailExport } from '../src/accounts/privacy/exports/service';

const pulseMs = 1_000;

/** Says that it lives while it works: an account may hold little or much, and a worker that died is noticed as soon. */
const alive =
  <Result>(step: (operationId: number) => Promise<Result>) =>
  async (operationId: number): Promise<Result> => {
    const pulse = setInterval(() => heartbeat(), pulseMs);
    try {
      return await step(operationId);
    } finally {
      clearInterval(pulse);
    }
  };

export const accountDataActivities = {
  mailExport: alive(mailExport),
  endSubscriptions: alive(erasures.endSubscriptions),
  revokeAccesses: alive(erasures.revokeAccesses),
  forgetCards: alive(erasures.forgetCards),
  wipeAccount: alive(erasures.wipeAccount),
};
