"""agents.yaml: schema, loader, origins, migration."""
