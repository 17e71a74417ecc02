import { heartbeat } from '@temporalio/activity';

const pulseMs = 1_000;

/** Says that it lives while it works: that a worker has died is noticed in seconds, however long the work may take. */
export const alive =
  <Input extends unknown[], Result>(step: (...input: Input) => Promise<Result>) =>
  async (...input: Input): Promise<Result> => {
    const pulse = setInterval(() => heartbeat(), pulseMs);
    try {
      return await step(...input);
    } finally {
      clearInterval(pulse);
    }
  };
