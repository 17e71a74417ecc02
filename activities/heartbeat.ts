import { heartbeat } from '@temporalio/activity';

const heartbeatMs = 1_000;

/**
 * Sends heartbeats while an activity works, so that a dead worker is noticed in seconds, however long the activity
 * takes.
 */
export const withHeartbeat =
  <Input extends unknown[], Result>(step: (...input: Input) => Promise<Result>) =>
  async (...input: Input): Promise<Result> => {
    const pulse = setInterval(() => heartbeat(), heartbeatMs);
    try {
      return await step(...input);
    } finally {
      clearInterval(pulse);
    }
  };
