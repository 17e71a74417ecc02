import { setTimeout as sleep } from 'node:timers/promises';
import { control } from '../support/providerBooks';
import { type HistoryFile } from './history';
import { type DiskFault } from '../degraded/disk';
import { type CommitCut } from '../support/commitProxy';
import { type Fault, type FaultKind } from './schedule';
import { type Service } from './service';

/** A COMMIT to cut comes soon, because consumers write all the time. */
const cutWithinMs = 5_000;

/** The requests of the service end earlier. */
const lateMs = 30_000;
const answersMax = 1_000;

/** Causes the faults of a plan at their times, whether the service has recovered from the previous one or not. */
export async function causeFaults(faults: readonly Fault[], service: Service, history: HistoryFile): Promise<void> {
  const beganAt = Date.now();
  const ends: Promise<void>[] = [];
  for (const fault of faults) {
    await sleep(Math.max(0, beganAt + fault.atMs - Date.now()));
    ends.push(cause(fault, service, history));
  }
  await Promise.all(ends);
}

/** `missed`: the part does not run. A fault that lasts has an end. */
type Caused = 'missed' | 'begins' | { end: () => Promise<void> | void };

async function cause(fault: Fault, service: Service, history: HistoryFile): Promise<void> {
  const note = (state: 'begins' | 'ends' | 'missed') => history.add({ kind: 'fault', ...fault, state });
  const caused = await causes[fault.what](fault, service);
  if (typeof caused === 'string') return note(caused);
  note('begins');
  await sleep(fault.lengthMs);
  await caused.end();
  note('ends');
}

const isCaused = (isDone: boolean): Caused => (isDone ? 'begins' : 'missed');

const causes: Record<FaultKind, (fault: Fault, service: Service) => Caused | Promise<Caused>> = {
  kill: ({ target, replica }, service) => isCaused(service.kill(target, replica)),
  'kill two': ({ target, replica }, service) => {
    const other = target === 'API' ? 'worker' : 'API';
    const killed = [service.kill(target, replica), service.kill(other, replica)];
    return isCaused(killed.every(Boolean));
  },
  freeze: async ({ target, replica }, service) => {
    const thaw = await service.freeze(target, replica);
    return thaw ? { end: thaw } : 'missed';
  },
  'cut before': (_fault, service) => cutCommit('before', service),
  'cut after': (_fault, service) => cutCommit('after', service),
  lose: (_fault, service) => isCaused(service.loseStore()),
  'lost answers': () => spoilAnswers('lost'),
  'late answers': () => spoilAnswers('late'),
  'slow disk': (_fault, service) => spoilDisk('slow', service),
  'full disk': (_fault, service) => spoilDisk('full', service),
  'old store': ({ lengthMs }, service) => {
    // Its store is copied before it starts again.
    if (!service.kill('Temporal', 0)) return 'missed';
    const end = async () => {
      if (service.restoreStore()) await sleep(lengthMs);
      service.loseStore();
    };
    return { end };
  },
  'clock jump': jumpClock,
  backup: (_fault, service) => service.backUp().then(() => 'begins'),
};

/** A clock of this difference is within what tokens allow (30 seconds). */
const jumpSeconds = 25;

async function jumpClock({ target, replica, lengthMs }: Fault, service: Service): Promise<Caused> {
  const part = target === 'Temporal' ? 'worker' : target === 'provider' ? 'API' : target;
  const isSet = await service.jumpClock(part, replica, lengthMs % 2 === 0 ? jumpSeconds : -jumpSeconds);
  return isSet ? { end: async () => void (await service.jumpClock(part, replica, 0)) } : 'missed';
}

async function cutCommit(cut: CommitCut, service: Service): Promise<Caused> {
  const before = service.cuts();
  service.cutAt(cut);
  for (const until = Date.now() + cutWithinMs; service.cuts() === before && Date.now() < until;) await sleep(20);
  service.cutAt(undefined);
  return isCaused(service.cuts() > before);
}

async function spoilAnswers(kind: 'lost' | 'late'): Promise<Caused> {
  const isPlanned = await tellProvider({ kind, times: answersMax, lateMs });
  return isPlanned ? { end: async () => void (await tellProvider()) } : 'missed';
}

async function spoilDisk(fault: DiskFault, { disk }: Service): Promise<Caused> {
  await disk?.fail(fault);
  return disk ? { end: () => disk.recover(fault) } : 'missed';
}

/** Without a fault, all of its faults end. False: the provider is not running. */
async function tellProvider(fault?: object): Promise<boolean> {
  const told = control('faults', fault, fault ? 'POST' : 'DELETE');
  return told.then(
    () => true,
    () => false,
  );
}
