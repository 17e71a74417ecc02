/** A pool of one: a query that is made beside an open transaction, and not in it, waits for itself and answers 503. */
process.env['DATABASE_POOL'] = '1';
