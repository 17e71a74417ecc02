import { z } from 'zod';
import { formDate, formInt } from '../kit/form';

const tenYears = 10 * 366 * 86_400;

/** Either the seconds to move by or the time to move to; at most ten years per move. */
export const ClockBody = z.object({
  advance: formInt().pipe(z.int().min(1).max(tenYears)).optional(),
  to: formDate().optional(),
});

/** `now` and `ahead` (of real time) in seconds. */
export const ClockResponse = z.object({ now: z.int(), time: z.string(), ahead: z.int() });
