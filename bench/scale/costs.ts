import { cpuSeconds, cpuSecondsOfFamily, findPostgres, residentMb } from '../memory';
import { type Product } from '../parts';

export const partNames = ['api', 'worker', 'postgres', 'temporal'] as const;
export type PartName = (typeof partNames)[number];

/** What one kind of work takes. */
export interface Cost {
  what: string;
  units: number;
  seconds: number;
  /** Processor time of one unit, in milliseconds. */
  cpuMs: Record<PartName, number>;
}

export type Meter = Awaited<ReturnType<typeof createMeter>>;

/** Measures the processor time of the parts of the service. The programs that make the load do not count. */
export async function createMeter({ apiPid, workerPid, temporalPid, databaseUrl }: Product) {
  const postgresPid = await findPostgres(databaseUrl);
  const used = (): Record<PartName, number> => ({
    api: cpuSeconds(apiPid),
    worker: cpuSeconds(workerPid),
    postgres: cpuSecondsOfFamily(postgresPid),
    temporal: cpuSeconds(temporalPid),
  });
  return {
    /** `work` resolves with the number of units that it has done. */
    measure: async (what: string, work: () => Promise<number>): Promise<Cost> => {
      const [before, beganAt] = [used(), performance.now()];
      const units = await work();
      const [after, seconds] = [used(), (performance.now() - beganAt) / 1000];
      const cpuMs = { ...after };
      for (const part of partNames) cpuMs[part] = ((after[part] - before[part]) * 1000) / units;
      return { what, units, seconds, cpuMs };
    },
    temporalMb: () => residentMb(temporalPid),
  };
}

export const totalMs = ({ cpuMs }: Cost) => partNames.reduce((sum, part) => sum + cpuMs[part], 0);
