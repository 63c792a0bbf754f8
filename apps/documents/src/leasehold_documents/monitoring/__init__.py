"""How the application is: widgets for the dashboard, alerts by the engine's own, and health."""

from leasehold_documents.monitoring.alerts import alert_config, alerts_of
from leasehold_documents.monitoring.health import Health, health
from leasehold_documents.monitoring.widgets import BYS, WINDOWS, Widgets, widgets

__all__ = ["BYS", "WINDOWS", "Health", "Widgets", "alert_config", "alerts_of", "health", "widgets"]
