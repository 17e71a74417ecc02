import { createRequire } from 'node:module';

/**
 * The metrics of the product observe the process for as long as it lives. Here a process runs many test files, and an
 * observer would keep all modules of its file in memory. `stopObservers` ends those of the file.
 */
const performance = createRequire(import.meta.url)('node:perf_hooks');

const stops = new Set();

export function rememberObservers() {
  const { monitorEventLoopDelay, PerformanceObserver } = performance;
  performance.monitorEventLoopDelay = (options) => {
    const delays = monitorEventLoopDelay(options);
    stops.add(() => delays.disable());
    return delays;
  };
  performance.PerformanceObserver = class extends PerformanceObserver {
    constructor(callback) {
      super(callback);
      stops.add(() => this.disconnect());
    }
  };
}

export function stopObservers() {
  for (const stop of stops) stop();
  stops.clear();
}
