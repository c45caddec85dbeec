export * from './file-folder.js';
export * from './self-signed-certificate.js';
export * from './tls-client.js';
export * from './tls-server.js';
