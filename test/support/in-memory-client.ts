import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, type McpServer } from "@modelcontextprotocol/server";

/** A client that is connected to a server in this process; closing it ends the connection. */
export async function connectInMemory(server: McpServer): Promise<Client> {
  const client = new Client({ name: "reader", version: "1.0.0" });
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  await server.connect(serverEnd);
  await client.connect(clientEnd);
  return client;
}
