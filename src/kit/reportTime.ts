import { z } from 'zod';

/** The field of a report from a replica that is behind. */
export const reportTime = {
  as_of: z
    .int()
    .optional()
    .meta({ description: 'Unix seconds: the report shows the state of this time. Absent: it shows the present state' }),
};
