import { heartbeat } from '@temporalio/activity';

const heartbeatMs = 1_000;

/**
 * Sends heartbeats during an activity, so that a dead worker is noticed in seconds, even if the activity takes long.
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
