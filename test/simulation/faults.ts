import { setTimeout as sleep } from 'node:timers/promises';
import { control } from '../support/providerBooks';
import { type HistoryFile } from './history';
import { type Fault } from './schedule';
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

async function cause(fault: Fault, service: Service, history: HistoryFile): Promise<void> {
  const note = (state: 'begins' | 'ends' | 'missed') => history.add({ kind: 'fault', ...fault, state });
  const { what, target, replica, lengthMs } = fault;
  if (what === 'freeze') {
    const thaw = await service.freeze(target, replica);
    note(thaw ? 'begins' : 'missed');
    if (!thaw) return;
    await sleep(lengthMs);
    thaw();
    return note('ends');
  }
  if (what === 'kill') return note(service.kill(target, replica) ? 'begins' : 'missed');
  if (what === 'lose') return note(service.loseStore() ? 'begins' : 'missed');
  if (what === 'kill two') {
    const other = target === 'API' ? 'worker' : 'API';
    const killed = [service.kill(target, replica), service.kill(other, replica)];
    return note(killed.every(Boolean) ? 'begins' : 'missed');
  }
  if (what === 'lost answers' || what === 'late answers') {
    const kind = what === 'lost answers' ? 'lost' : 'late';
    const isPlanned = await tellProvider({ kind, times: answersMax, lateMs });
    note(isPlanned ? 'begins' : 'missed');
    if (!isPlanned) return;
    await sleep(lengthMs);
    await tellProvider();
    return note('ends');
  }
  const before = service.cuts();
  service.cutAt(what === 'cut before' ? 'before' : 'after');
  for (const until = Date.now() + cutWithinMs; service.cuts() === before && Date.now() < until;) await sleep(20);
  service.cutAt(undefined);
  note(service.cuts() > before ? 'begins' : 'missed');
}

/** Without a fault, all of its faults end. False: the provider is not running. */
async function tellProvider(fault?: object): Promise<boolean> {
  const told = control('faults', fault, fault ? 'POST' : 'DELETE');
  return told.then(
    () => true,
    () => false,
  );
}
