import { answerControl } from './control';
import { startMarketClock } from './marketClock';
import { startStores, type Stores } from './stores';

export interface RunningStores extends Stores {
  stop(): Promise<void>;
}

export interface ProgramSettings {
  port: number;
  /** Where Apple's root certificate is written. */
  rootsFile: string;
  /** The API that notifications are sent to, and whose test clocks are read. */
  paywall: string;
}

/** All four stores, with a clock of their own and what makes them do things. */
export async function startStoreProgram({ port, rootsFile, paywall }: ProgramSettings): Promise<RunningStores> {
  const stores = await startStores({ port, rootsFile });
  const { simulator } = stores;
  simulator.setTarget(paywall);
  const clock = startMarketClock(simulator.market, () => simulator.target);
  simulator.onRequest(async () => {
    await clock.catchUp();
    return undefined;
  });
  simulator.onRequest(answerControl(stores, clock));
  return {
    ...stores,
    stop: async () => {
      clock.stop();
      await simulator.stop();
    },
  };
}
