import { answerControl } from './control';
import { startMarketClock } from './marketClock';
import { startStores, type Stores } from './stores';

export interface RunningStores extends Stores {
  stop(): Promise<void>;
}

export interface ProgramSettings {
  port: number;
  /** The file to which Apple's root certificate is written. */
  rootsFile: string;
  /** The API that receives the notifications, and from which test clocks are read. */
  paywall: string;
}

/** All four stores with their clock and their control API. */
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
