import { Counter, Gauge } from 'prom-client';
import { processRegistry } from './processMetrics';
import { hasReplica, readReplicaState } from './postgres/replica';

const fallbacks = new Counter({
  name: 'paywall_report_fallbacks_total',
  help: 'Reports that the primary answered although a replica is set, by reason; alert if they go on',
  labelNames: ['reason'],
  registers: [processRegistry],
});

const reasons = ['away', 'behind', 'conflict'] as const;
export type FallbackReason = (typeof reasons)[number];
for (const reason of reasons) fallbacks.inc({ reason }, 0);

export function countFallback(reason: FallbackReason): void {
  fallbacks.inc({ reason });
}

new Gauge({
  name: 'paywall_replica_lag_seconds',
  help: 'How far the replica of the reports is behind, infinite if it does not answer; alert if it stays high',
  registers: [processRegistry],
  async collect() {
    if (!hasReplica) return;
    const state = readReplicaState();
    this.set(
      await state.then(
        ({ lagSeconds }) => lagSeconds,
        () => Infinity,
      ),
    );
  },
});
