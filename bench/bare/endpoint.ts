import express from 'express';
import pg from 'pg';
import { config } from '../../src/config';

/** The reference of the access check: Express 5, one prepared query by primary key, no token, no rules. */
const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: config.DATABASE_POOL });
const text = 'SELECT id, account_id, item_id, created_at, starts_at, expires_at FROM accesses WHERE id = $1';
const app = express();
app.get('/accesses/:id', async (request, response) => {
  const { rows } = await pool.query({ name: 'access', text, values: [request.params.id] });
  response.json(rows[0] ?? null);
});
app.listen(config.PORT, config.HOST);
